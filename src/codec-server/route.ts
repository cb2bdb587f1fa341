/**
 * The codec server for Temporal's Web UI and CLI: `POST /codec/decode` and `/codec/encode` with payloads in protobuf's JSON. Who has one
 * of the roles approver, auditor or admin gets the payloads of turns that they see in plain text; all other payloads come back
 * unchanged, which the Web UI shows as they are. The Web UI's pages may ask, and no other site's.
 */
import { WorkflowNotFoundError } from '@temporalio/client';
import type { Payload } from '@temporalio/common';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { boundWorkflow, openPayload, sealPayload } from '../encryption/encrypted-payload';
import { Keys, MissingKey } from '../encryption/key-source';
import { sees, visibilityOf, type Principal } from '../gateway/auth/principals';
import { Refusal } from '../gateway/http/errors';
import { jsonSchema } from '../gateway/schemas/common';
import type { CodecParts, GatewayParts, Route } from '../gateway/route';
import { isDirectCallId, isTurnId, turnIdOf } from '../shared/ids';
import { optional } from '../shared/json/optional';
import { keywordOf } from '../shared/search-attributes';
import { isLoopbackName } from '../shared/wire/cross-site-check';
import { isEncrypted } from '../shared/wire/payload';

/** The Web UI sends all payloads of a page of history at once. */
const LARGEST_BODY = 32_000_000;
const MOST_PAYLOADS = 5000;
/** Characters of one answer: what is compressed may unfold to far more than the request had. Payloads beyond stay encrypted. */
const LARGEST_ANSWER = 64_000_000;
/** Characters of the metadata of a payload to encrypt, as JSON: only small ones are ours or Temporal's. */
const LARGEST_METADATA = 100_000;
/** How many workflows' requesters are remembered, and for how long, ms. */
const MOST_WORKFLOWS = 5000;
const REMEMBER_MS = 60_000;
/** Workflows of one request whose requesters are looked up, and how many at once. */
const MOST_LOOKUPS = 1000;
const DESCRIBED_AT_ONCE = 8;
/** Entries of one turn in the trail. Of a turn with more it is not known whose all of them are. */
const MOST_ENTRIES = 1000;

const base64 = z.string();
const payload = z.looseObject({ metadata: z.record(z.string(), base64).optional(), data: base64.optional() });
const bodySchema = z.looseObject({ payloads: z.array(payload).max(MOST_PAYLOADS).optional() });

type JsonPayload = z.infer<typeof payload>;
interface Post {
  Body: z.infer<typeof bodySchema>;
}

const schema = { hide: true, body: jsonSchema(bodySchema) };

export const codec: Route = (app, parts) => {
  const { codec: settings = null } = parts;
  const requesters = new Requesters(parts);
  let open: Promise<Keys> | undefined;
  const keys = () =>
    (open ??= Keys.open(settings!.codecKeys).catch((error: unknown) => ((open = undefined), Promise.reject(error))));
  const decodeAll = async (all: JsonPayload[], principal: Principal) => {
    const ring = await keys();
    const bound = all.map(boundTo);
    const visible = await requesters.visible(principal, new Set(bound));
    const opened: JsonPayload[] = [];
    let room = LARGEST_ANSWER;
    for (const [index, one] of all.entries()) {
      const next = visible.has(bound[index]) ? await decode(ring, settings!.namespace, one, room) : one;
      const size = sizeOf(next);
      const fits = size <= room;
      opened.push(fits ? next : one);
      room -= fits ? size : sizeOf(one);
    }
    return opened;
  };

  const config = { roles: 'any' as const, otherPages: uiPages(parts) };
  const options = { schema, config, bodyLimit: LARGEST_BODY };
  for (const path of ['/codec/decode', '/codec/encode'])
    app.options(path, { schema: { hide: true }, config: { roles: 'public' } }, (_request, reply) => reply.code(204).send());

  app.post<Post>('/codec/decode', options, async ({ principal, headers, body }, reply) => {
    const all = body.payloads ?? [];
    const isOurs = settings !== null && isOf(settings, headers) && DECODERS.some((role) => principal.roles.includes(role));
    const payloads = isOurs ? await decodeAll(all, principal) : all;
    return reply.header('cache-control', 'no-store').send({ payloads });
  });

  app.post<Post>('/codec/encode', options, async ({ headers, body }, reply) => {
    const all = body.payloads ?? [];
    const to = { namespace: settings?.namespace ?? '', workflowId: null };
    const isOurs = settings !== null && isOf(settings, headers);
    if (all.some(({ metadata = {} }) => sizeOf(metadata) > LARGEST_METADATA))
      throw new Refusal({ code: 'INVALID_PARAMS', reason: 'bad_request', message: 'The metadata of a payload is too large.' });
    const seal = async (one: JsonPayload) => {
      const plain = payloadOf(one);
      return isEncrypted(plain) ? one : jsonOf(await sealPayload(await keys(), to, plain));
    };
    return reply.header('cache-control', 'no-store').send({ payloads: isOurs ? await Promise.all(all.map(seal)) : all });
  });
};

const DECODERS = ['approver', 'auditor', 'admin'];

/** The Web UI names the namespace that it shows; the CLI sends an empty name if it was given none. */
function isOf({ namespace }: CodecParts, headers: FastifyRequest['headers']): boolean {
  const named = headers['x-namespace'];
  return named === undefined || named === '' || named === namespace;
}

/** Before authentication: a browser hides also the reason of a refusal from a page that may not read the answer. */
export function allowCodecPages(app: FastifyInstance, parts: GatewayParts): void {
  const isUi = uiPages(parts);
  app.addHook('onRequest', async (request, reply) => allow(request, reply, isUi));
}

/** Whether a page of this origin may ask: what `refuseOtherSites` of the gateway goes by. */
export function codecPages(parts: GatewayParts): (url: string, origin: string) => boolean {
  const isUi = uiPages(parts);
  return (url, origin) => url.startsWith('/codec/') && isUi(origin);
}

/** Whether an origin is the Web UI's, which has several names on this machine. */
function uiPages({ codec: settings = null }: GatewayParts): (origin: string) => boolean {
  return (origin) => {
    const uiUrl = settings?.uiUrl() ?? null;
    if (uiUrl === null || !URL.canParse(origin)) return false;
    const [page, ui] = [new URL(origin), new URL(uiUrl)];
    if (page.origin === ui.origin) return true;
    const areLocal = isLoopbackName(page.hostname) && isLoopbackName(ui.hostname);
    return areLocal && page.port === ui.port && page.protocol === ui.protocol;
  };
}

/** For the browser: answers may be read by the Web UI's pages, also those to requests with the cookie of a sign-in. */
function allow({ headers, method }: FastifyRequest, reply: FastifyReply, isUi: (origin: string) => boolean): void {
  const { origin } = headers;
  if (origin === undefined || !isUi(origin)) return;
  void reply
    .header('access-control-allow-origin', origin)
    .header('access-control-allow-credentials', 'true')
    .header('vary', 'Origin');
  if (method === 'OPTIONS')
    void reply
      .header('access-control-allow-methods', 'POST')
      .header('access-control-allow-headers', 'content-type, x-namespace, authorization, authorization-extras')
      .header('access-control-max-age', '600');
}

/** The workflow that an encrypted payload names; undefined: it is not encrypted. */
function boundTo({ metadata }: JsonPayload): string | null | undefined {
  const sealed = payloadOf({ ...optional({ metadata }) });
  return isEncrypted(sealed) ? boundWorkflow(sealed) : undefined;
}

/** @param room characters of the opened payload in base64; one that has more stays encrypted */
async function decode(keys: Keys, namespace: string, one: JsonPayload, room: number): Promise<JsonPayload> {
  const most = Math.floor((room * 3) / 4);
  if (most <= 0) return one;
  try {
    const opened = await openPayload(keys, namespace, payloadOf(one), () => true, most);
    return 'payload' in opened ? jsonOf(opened.payload) : one;
  } catch (error) {
    if (error instanceof MissingKey) return one;
    throw error;
  }
}

function sizeOf(value: object): number {
  return JSON.stringify(value).length;
}

/**
 * Whose workflows are, by Temporal and by the store: Temporal lets anybody who may start workflows use the id of one that it has
 * forgotten. What has no requester (budgets, failures of tasks) is for those who see everything.
 */
class Requesters {
  private readonly names = new LRUCache<string, Promise<string[]>>({ max: MOST_WORKFLOWS, ttl: REMEMBER_MS });

  constructor(private readonly parts: GatewayParts) {}

  /**
   * Those of the workflows that the principal may see, of the first `MOST_LOOKUPS`.
   * @param named as `boundTo` gives them
   */
  async visible(principal: Principal, named: ReadonlySet<string | null | undefined>): Promise<Set<string | null | undefined>> {
    const bound = [...named].filter((workflowId) => workflowId !== undefined);
    if (visibilityOf(principal) === 'all') return new Set(bound);
    const visible = new Set<string>();
    const look = async (workflowId: string) => {
      const names = await this.of(workflowId);
      if (names.length > 0 && names.every((name) => sees(principal, name))) visible.add(workflowId);
    };
    const ids = bound.filter((workflowId) => workflowId !== null).slice(0, MOST_LOOKUPS);
    for (let at = 0; at < ids.length; at += DESCRIBED_AT_ONCE) await Promise.all(ids.slice(at, at + DESCRIBED_AT_ONCE).map(look));
    return visible;
  }

  private of(workflowId: string): Promise<string[]> {
    const before = this.names.get(workflowId);
    if (before !== undefined) return before;
    const names = this.look(workflowId);
    this.names.set(workflowId, names);
    names.catch(() => this.names.delete(workflowId));
    return names;
  }

  /** Empty: nobody's. */
  private async look(workflowId: string): Promise<string[]> {
    const name = await this.describe(workflowId);
    if (name === null) return [];
    const turn = turnIdOf(workflowId);
    if (!isTurnId(turn) && !isDirectCallId(turn)) return [name];
    const query = { turn, workflow: workflowId, limit: MOST_ENTRIES };
    const { entries, next_cursor } = await this.parts.store.trail.query(query);
    return next_cursor === null ? [...new Set([name, ...entries.map(({ requester }) => requester)])] : [];
  }

  private async describe(workflowId: string): Promise<string | null> {
    const { temporal } = await this.parts.client();
    return temporal.workflow
      .getHandle(workflowId)
      .describe()
      .then(
        ({ searchAttributes }) => keywordOf(searchAttributes, 'requester') || null,
        (error: unknown) => {
          if (error instanceof WorkflowNotFoundError) return null;
          throw error;
        },
      );
  }
}

function payloadOf({ metadata = {}, data }: JsonPayload): Payload {
  return {
    metadata: Object.fromEntries(Object.entries(metadata).map(([name, value]) => [name, Buffer.from(value, 'base64')])),
    data: Buffer.from(data ?? '', 'base64'),
  };
}

function jsonOf({ metadata, data }: Payload): JsonPayload {
  return {
    metadata: Object.fromEntries(
      Object.entries(metadata ?? {}).map(([name, value]) => [name, Buffer.from(value).toString('base64')]),
    ),
    data: Buffer.from(data ?? []).toString('base64'),
  };
}
