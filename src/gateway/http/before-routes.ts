/**
 * Answers requests that reach no route: broken HTTP, unreadable addresses, wrong methods, too many requests, new work while workers
 * cannot keep up. Also validates bodies and addresses. Errors have the same envelope as everywhere, so that a client needs only one
 * reader of errors.
 */
import { STATUS_CODES, type IncomingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import { isUtf8 } from 'node:buffer';
import { setTimeout as sleep } from 'node:timers/promises';
import addFormats from 'ajv-formats';
import rateLimit, { normalizeIP } from '@fastify/rate-limit';
import type { FastifyError, FastifyReply, FastifyRequest, FastifyInstance, FastifySchemaCompiler } from 'fastify';
import { Ajv } from 'ajv';
import type { Backlog } from '../../temporal/backlog';
import type { GatewayParts, StartLimitSettings } from '../route';
import { answerWith, wrongEnvelope, type Wrong, Refusal } from './errors';

/** Node's HTTP parser has failed. Later bytes cannot be read either, so the connection ends. */
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

/** For errors of Fastify's router: an address with a broken `%`, or with a part that is too long. */
export function answerBadAddress({ statusCode }: FastifyError, _request: FastifyRequest, reply: FastifyReply): void {
  const common = { code: 'INVALID_PARAMS', reason: 'bad_address' } as const;
  const tooLong = statusCode === 414;
  const message = tooLong
    ? 'A part of the address is too long.'
    : 'The address has a % that no two hex digits follow, or no UTF-8.';
  void answerWith(reply, { ...common, message, status: tooLong ? 414 : 400 });
}

// A known path with a method that it does not have: 405, with the methods that it has.

export function refuseOtherMethods(app: FastifyInstance): void {
  const paths = new Map<string, { like: RegExp; methods: Set<string> }>();
  app.addHook('onRoute', ({ method, url }) => {
    if (url.includes('*')) return; // matches every path
    const entry = paths.get(url) ?? { like: likeIt(url), methods: new Set() };
    for (const one of [method].flat()) entry.methods.add(one);
    paths.set(url, entry);
  });
  // Runs before the body is read: for a method that does not exist the body does not matter.
  app.addHook('onRequest', async (request, reply) => {
    const path = request.url.split('?')[0]!;
    // `DELETE /v1/passkeys/waiting` would fit `/v1/passkeys/:id`: a path that is listed as it stands has only its own methods.
    const own = paths.get(path);
    const fitsOther = own !== undefined && !own.methods.has(request.method) && request.method !== 'OPTIONS';
    if (!request.is404 && !fitsOther) return;
    const candidates = own === undefined ? [...paths.values()].filter(({ like }) => like.test(path)) : [own];
    const methods = candidates.flatMap((one) => [...one.methods]);
    if (methods.length === 0) return;
    const methodList = [...new Set(methods)].sort().join(', ');
    void reply.header('allow', methodList);
    const message = `${request.method} is not for this path; it takes ${methodList}.`;
    throw new Refusal({ code: 'INVALID_PARAMS', reason: 'method_not_allowed', message, status: 405 });
  });
}

/** `/v1/turns/:id` matches `/v1/turns/foo`. */
function likeIt(url: string): RegExp {
  const parts = url.split('/').map((part) => (part.startsWith(':') ? '[^/]+' : part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')));
  return new RegExp(`^${parts.join('/')}$`);
}

// The text of a request's body: JSON is UTF-8. In another encoding the same bytes are other letters, and the client would not
// learn which were read.

/** @throws Refusal 415 for another encoding in the headers; 400 for bytes that are not UTF-8 */
export function bodyText(headers: IncomingHttpHeaders, body: Buffer): string {
  const charset = /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(headers['content-type'] ?? '')?.[1];
  if (charset !== undefined && !/^utf-?8$/i.test(charset)) throw unread(`The charset of the body is ${quote(charset)}`, 415);
  const coding = headers['content-encoding'];
  if (coding !== undefined && coding.toLowerCase() !== 'identity')
    throw unread(`The body has the encoding ${quote(coding)}`, 415);
  if (!isUtf8(body)) throw unread('The body has bytes that are no UTF-8', 400);
  return body.toString('utf8');
}

function quote(text: string): string {
  return JSON.stringify(text.slice(0, 60));
}

function unread(what: string, status: number): Refusal {
  const hint = 'Send it as JSON in UTF-8, as it is: Content-Type: application/json.';
  return new Refusal({ code: 'INVALID_PARAMS', reason: 'bad_encoding', message: `${what}; only UTF-8 is read.`, hint, status });
}

// Checks requests against the schemas of their routes. Bodies are not coerced. Values in an address are text, and are coerced.

const OPTIONS = { allErrors: false, strict: false, useDefaults: true, validateFormats: true };
const bodies = new Ajv(OPTIONS);
const addresses = new Ajv({ ...OPTIONS, coerceTypes: true });
for (const ajv of [bodies, addresses]) addFormats.default(ajv);

export const validatorOf: FastifySchemaCompiler<object> = ({ schema, httpPart }) =>
  (httpPart === 'body' ? bodies : addresses).compile(schema);

// Rate limits: one for each principal, and one for each address that sends no token or a wrong one. Each process counts for
// itself, so each of several gateways allows as much.

/** Names that are counted at once. */
const MOST_NAMES = 10_000;
const A_MINUTE = 60_000;
/** Wrong tokens, signatures and the like of one kind allowed from one address in a minute. */
const MOST_WRONG = 60;

/** @returns a function that counts a request without a principal; it throws Refusal 429 after too many of its address */
export async function limitRates(
  app: FastifyInstance,
  requestsPerMinute: number,
): Promise<(request: FastifyRequest) => Promise<void>> {
  await app.register(rateLimit, {
    max: requestsPerMinute,
    timeWindow: A_MINUTE,
    cache: MOST_NAMES,
    keyGenerator: ({ principal, ip }) => (principal ? `principal ${principal.name}` : `address ${normalizeIP(ip)}`),
    errorResponseBuilder: (_request, { ttl }) => tooMany(ttl),
  });
  return limitWrong(app, 'wrong');
}

/** @returns a function that counts a request with something wrong; it throws Refusal 429 after too many of its address */
export function limitWrong(app: FastifyInstance, kind: string): (request: FastifyRequest) => Promise<void> {
  const keyGenerator = ({ ip }: FastifyRequest) => `${kind} ${normalizeIP(ip)}`; // of IPv6 a whole network, /64
  return enforceLimit(app.createRateLimit({ max: MOST_WRONG, timeWindow: A_MINUTE, keyGenerator }));
}

/** @returns a function that counts a request; it throws Refusal 429 for one beyond the limit */
export function enforceLimit(limit: ReturnType<FastifyInstance['createRateLimit']>): (request: FastifyRequest) => Promise<void> {
  return async (request) => {
    const count = await limit(request);
    if (!count.isAllowed && count.isExceeded) throw tooMany(count.ttl);
  };
}

function tooMany(ms: number): Refusal {
  const seconds = Math.max(1, Math.ceil(ms / 1000));
  const message = `Too many requests; try again in ${seconds} s.`;
  return new Refusal({ code: 'RATE_LIMITED', reason: 'too_many_requests', message, retryAfterMs: seconds * 1000 });
}

// New work while the workers cannot keep up: 429, with a time to come back (decision 0089). Workers take tasks in the order in which they
// came, so each start that is let in then makes decisions wait longer. Decisions, cancels, answers and settlements never come here, and
// neither does a start that was let in before and is sent again. If Temporal does not say how much waits, starts go on.

export const DEFAULT_START_LIMIT: StartLimitSettings = { ageMs: 30_000, tasks: 100 };

/** The server counts every five seconds, so asking more often than this would show nothing new. */
const READ_EVERY_MS = 2000;
/** While Temporal connects or stalls, a start does not wait for the reading. */
const READ_WITHIN_MS = 1000;
const [SHORTEST_MS, LONGEST_MS] = [5000, 60_000];

/** The backlog for whose sake new work is refused; null: workers keep up. */
export function excessOf(backlogs: readonly Backlog[], { ageMs, tasks }: StartLimitSettings): Backlog | null {
  return backlogs.find((one) => one.tasks >= tasks && one.ageMs > ageMs) ?? null;
}

const limitsByGateway = new WeakMap<GatewayParts, StartLimit>();

/** One instance for a gateway, shared by all routes that start work. */
export function startLimit(parts: GatewayParts): StartLimit {
  const { startLimit: settings = DEFAULT_START_LIMIT } = parts;
  const limit = limitsByGateway.get(parts) ?? new StartLimit(settings, async () => (await parts.client()).backlogs());
  limitsByGateway.set(parts, limit);
  return limit;
}

export class StartLimit {
  /** Starts that were refused. */
  refusals = 0;
  private reading: { at: number; backlogs: Promise<readonly Backlog[] | null> } | null = null;

  /** @param settings null: nothing is refused */
  constructor(
    private readonly settings: StartLimitSettings | null,
    private readonly read: () => Promise<readonly Backlog[]>,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Null: Temporal does not say. */
  backlogs(): Promise<readonly Backlog[] | null> {
    if (this.reading === null || this.now() - this.reading.at > READ_EVERY_MS) {
      const tooLate = sleep(READ_WITHIN_MS, null, { ref: false });
      const backlogs = Promise.race([this.read().catch(() => null), tooLate]);
      this.reading = { at: this.now(), backlogs };
    }
    return this.reading.backlogs;
  }

  /**
   * Called before work that may be new.
   * @param isKnown whether it was let in before; asked only while the workers cannot keep up. Absent: it is new
   * @throws Refusal 429
   */
  async check(isKnown: () => Promise<boolean> = async () => false): Promise<void> {
    if (this.settings === null) return;
    const backlogs = await this.backlogs();
    const excess = backlogs === null ? null : excessOf(backlogs, this.settings);
    if (excess === null || (await isKnown())) return;
    this.refusals += 1;
    throw tooMuch(excess);
  }
}

/** Half of what the oldest task has waited: a backlog that grew for so long takes about as long to be worked off. */
function tooMuch({ tasks, ageMs }: Backlog): Refusal {
  const retryAfterMs = Math.min(LONGEST_MS, Math.max(SHORTEST_MS, ageMs / 2));
  const message = `The workers cannot keep up: ${tasks} tasks wait, the oldest for ${Math.round(ageMs / 1000)} s. Nothing was started.`;
  const hint = 'Send the same request again after `retry-after`. Decisions, answers and cancels are taken meanwhile.';
  return new Refusal({ code: 'RATE_LIMITED', reason: 'workers_behind', message, hint, retryAfterMs });
}
