/**
 * What is answered before there is a route: bytes that are no HTTP request, and addresses that no route can read.
 * The envelope is the same as everywhere, so that a client needs one reader of errors.
 */
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyError, FastifyReply, FastifyRequest, FastifyInstance } from 'fastify';
import { answerWith, wrongEnvelope, type Wrong, Refusal } from './errors';

/** Node's HTTP parser has given up. Nothing that comes after can be read: the connection ends. */
export function answerBrokenHttp({ code }: Error & { code?: string }, socket: Socket): void {
  if (code === 'ECONNRESET' || socket.destroyed) return;
  const { status, ...wrong } = brokenBy(code);
  const body = JSON.stringify(wrongEnvelope(wrong));
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    'cache-control: no-store',
    'connection: close',
  ];
  if (socket.writable) socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
  socket.destroySoon();
}

function brokenBy(code: string | undefined): Wrong & { status: number } {
  const common = { code: 'INVALID_PARAMS', reason: 'bad_http' } as const;
  if (code === 'HPE_HEADER_OVERFLOW') return { ...common, message: 'Address and headers are too long together.', status: 431 };
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return { ...common, message: 'The request did not come in time.', status: 408 };
  return { ...common, message: 'These bytes are no HTTP request.', status: 400 };
}

/** Of Fastify's router: an address with a broken `%`, or with a part that is too long. */
export function answerBadAddress({ statusCode }: FastifyError, _request: FastifyRequest, reply: FastifyReply): void {
  const common = { code: 'INVALID_PARAMS', reason: 'bad_address' } as const;
  const tooLong = statusCode === 414;
  const message = tooLong
    ? 'A part of the address is too long.'
    : 'The address has a % that no two hex digits follow, or no UTF-8.';
  void answerWith(reply, { ...common, message, status: tooLong ? 414 : 400 });
}

// A path that is there, asked by a method that it does not have: 405, with those that it has.

export function refuseOtherMethods(app: FastifyInstance): void {
  const paths = new Map<string, { like: RegExp; methods: Set<string> }>();
  app.addHook('onRoute', ({ method, url }) => {
    if (url.includes('*')) return; // takes whatever comes
    const known = paths.get(url) ?? { like: likeIt(url), methods: new Set() };
    for (const one of [method].flat()) known.methods.add(one);
    paths.set(url, known);
  });
  // Before the body: of a method that is not there nobody asks how its body looks.
  app.addHook('onRequest', async (request, reply) => {
    if (!request.is404) return;
    const path = request.url.split('?')[0]!;
    const methods = [...paths.values()].flatMap(({ like, methods }) => (like.test(path) ? [...methods] : []));
    if (methods.length === 0) return;
    const allowed = [...new Set(methods)].sort().join(', ');
    void reply.header('allow', allowed);
    const message = `${request.method} is not for this path; it takes ${allowed}.`;
    throw new Refusal({ code: 'INVALID_PARAMS', reason: 'method_not_allowed', message, status: 405 });
  });
}

/** `/v1/turns/:id` is like `/v1/turns/foo`. */
function likeIt(url: string): RegExp {
  const parts = url.split('/').map((part) => (part.startsWith(':') ? '[^/]+' : part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')));
  return new RegExp(`^${parts.join('/')}$`);
}
