/** The witness as an HTTP server: takes down roots of bundles, for clients with the token, and proves what it took down to anybody. */
import { timingSafeEqual } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { isHash, sha256Hex } from '../shared/json/sha256';
import { parseJson } from '../shared/json/parse-json';
import { isTrailerHashes } from './receipt';
import type { WitnessLog } from './log';

const MAX_BODY_BYTES = 4096;
const REQUEST_TIMEOUT_MS = 10_000;
const MOST_TOKENS = 1000;

export interface WitnessServer {
  log: WitnessLog;
  /** SHA-256 of the tokens whose holders may add entries, 64 hex each. */
  tokens: readonly string[];
  logger?: { info(facts: object, message: string): void; error(facts: object, message: string): void };
}

/**
 * | route | answers |
 * |---|---|
 * | `POST /v1/witness` `{root, end, previous}` | 200: a receipt, when the entry is on disk. Needs a token |
 * | `GET /v1/witness/inclusion?end=` | a receipt of an earlier entry; 404 |
 * | `GET /v1/witness/consistency?from=&to=` | `{from, to, proof}`; 400 for sizes that the log does not have |
 * | `GET /v1/witness/head` | a tree head with the present time |
 * | `GET /healthz` | 200 |
 */
export function witnessApp({ log, tokens, logger }: WitnessServer): FastifyInstance {
  if (tokens.length > MOST_TOKENS) throw new RangeError(`At most ${MOST_TOKENS} tokens, and these are ${tokens.length}.`);
  const app = fastify({ bodyLimit: MAX_BODY_BYTES, requestTimeout: REQUEST_TIMEOUT_MS, forceCloseConnections: 'idle' });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, callback) => {
    try {
      callback(null, parseJson(body as string));
    } catch (error) {
      callback(Object.assign(error as Error, { statusCode: 400 }));
    }
  });
  app.addHook('onSend', async (_request, reply) => void reply.header('cache-control', 'no-store'));
  app.setErrorHandler((error: { statusCode?: number; message: string }, _request, reply) => {
    const { statusCode = 500, message } = error;
    if (statusCode >= 500) logger?.error({ reason: message }, 'an entry was not written');
    return refuse(reply, statusCode, statusCode >= 500 ? 'The witness could not write its log.' : message);
  });

  app.post('/v1/witness', async (request, reply) => {
    if (!isAllowed(request, tokens)) return refuse(reply, 401, 'Adding an entry needs a token of this witness.');
    if (!isTrailerHashes(request.body as never))
      return refuse(reply, 400, 'The body is {root, end, previous}: hashes of 64 hex characters; previous may be null.');
    const receipt = await log.add(request.body as never);
    logger?.info({ index: receipt.index, end: (request.body as { end: string }).end }, 'witnessed');
    return receipt;
  });
  app.get('/v1/witness/inclusion', async ({ query }, reply) => {
    const { end } = query as { end?: string };
    if (!isHash(end)) return refuse(reply, 400, 'end is the hash of a trailer: 64 hex characters.');
    return log.find(end) ?? refuse(reply, 404, 'There is no entry about this trailer.');
  });
  app.get('/v1/witness/consistency', async ({ query }, reply) => {
    const { from, to } = query as { from?: string; to?: string };
    const [first, second] = [sizeOf(from), sizeOf(to)];
    if (first === null || second === null) return refuse(reply, 400, 'from and to are sizes of the log.');
    try {
      return { from: first, to: second, proof: log.consistency(first, second).proof };
    } catch (error) {
      if (error instanceof RangeError) return refuse(reply, 400, `The log has no such sizes: ${error.message}.`);
      throw error;
    }
  });
  app.get('/v1/witness/head', async () => log.freshHead());
  app.get('/healthz', async () => ({ alive: true }));
  return app;
}

/** @returns its URL, and a function that ends it after the open requests */
export async function serveWitness(
  server: WitnessServer,
  { host, port }: { host: string; port: number },
): Promise<{ url: string; close(): Promise<void> }> {
  const app = witnessApp(server);
  await app.listen({ host, port });
  const { port: actual } = app.server.address() as AddressInfo;
  const close = async () => {
    await app.close();
    await server.log.close();
  };
  return { url: `http://${host.includes(':') ? `[${host}]` : host}:${actual}`, close };
}

function isAllowed({ headers }: FastifyRequest, tokens: readonly string[]): boolean {
  const [, token] = /^Bearer ([\x21-\x7e]{20,200})$/.exec(headers.authorization ?? '') ?? [];
  if (token === undefined) return false;
  const hash = Buffer.from(sha256Hex(token), 'hex');
  return tokens.some((one) => timingSafeEqual(hash, Buffer.from(one, 'hex')));
}

function refuse(reply: FastifyReply, code: number, message: string): FastifyReply {
  return reply.code(code).send({ error: message });
}

function sizeOf(text: string | undefined): number | null {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : null;
}
