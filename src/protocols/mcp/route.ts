/** `/mcp`: serves tools and agents to MCP clients, over Streamable HTTP. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { McpDefinition } from '../../agents/mcp';
import { Refusal, type Wrong } from '../../gateway/http/errors';
import { onceClosed } from '../../gateway/http/observe';
import type { SendAnswer } from './ask-question';
import type { Decide } from './asks';
import { offersBy, type Offers, type OffersBy } from './offers';
import { sdk } from './sdk';
import type { McpParts } from './server';
import { Sessions, type PartsOf, type Session } from './sessions';
import { hasRole, needRole, onceTokenEnds } from '../../gateway/auth/authenticate';
import type { Principal, Role } from '../../gateway/auth/principals';
import { jsonSchema } from '../../gateway/schemas/common';
import { refuseExpiredKey } from '../../gateway/tool-calls';
import { answerAs } from '../../gateway/routes/answers';
import { decideAs } from '../../gateway/routes/decisions';
import type { GatewayParts, Route } from '../../gateway/route';
import { startLimit } from '../../gateway/http/before-routes';
import { STREAM_SETTINGS } from '../../gateway/streams/settings';
import { idsFromKey } from '../../shared/ids';

const description =
  'Streamable HTTP of the Model Context Protocol, revision 2025-11-25 and some before it. A session belongs to the principal ' +
  'who began it. Calls are direct calls and turns; what waits for a person is asked there, where the client can.';
const query = z.object({ agent: z.string().max(64).optional().describe('Only the tools of this agent, by their own names.') });
/** Not in the OpenAPI document: programs that speak this protocol have a client for it. */
const schema = {
  hide: true,
  summary: 'MCP server',
  description,
  tags: ['mcp'],
  querystring: jsonSchema(query),
};
const body = { type: ['object', 'array'], description: 'A JSON-RPC message.' };
/** Headers with a meaning in the protocol. */
const HEADERS = ['accept', 'content-type', 'mcp-session-id', 'mcp-protocol-version', 'last-event-id'];

type McpRequest = FastifyRequest<{ Querystring: z.infer<typeof query> }>;

export const mcp: Route = (app, parts) => {
  const sessions = new Sessions();
  const { tokenLookMs: lookMs } = { ...STREAM_SETTINGS, ...parts.streams };
  let offering: Promise<{ offers: OffersBy; mcp: McpDefinition }> | undefined;
  app.addHook('preClose', () => sessions.close());

  const handle = async (request: McpRequest, reply: FastifyReply) => {
    if (!parts.catalogue) throw new Refusal(NO_APP);
    const { offers, mcp } = await (offering ??= parts
      .catalogue()
      .then((catalogue) => ({ offers: offersBy(catalogue), mcp: catalogue.mcp })));
    const { agent } = request.query;
    const { name } = request.principal;
    if (agent !== undefined && offers(name, agent) === null) throw new Refusal(unknownAgent(agent));
    const offer = { offers: () => offers(name, agent) ?? NOTHING, mcp, agent };
    const session = await sessionOf(sessions, request, partsOf(parts, offer));
    if (session === 'unknown') return rpcError(reply, 404, -32001, 'Session not found');
    if (session === 'missing') return rpcError(reply, 400, -32000, 'Bad Request: Mcp-Session-Id header is required');
    if (session === null) throw new Refusal(TOO_MANY);
    const lastEvent = request.headers['last-event-id'];
    if (request.method === 'GET' && lastEvent !== undefined && !session.events.knows(String(lastEvent)))
      return rpcError(reply, 400, -32000, 'Bad Request: this Last-Event-ID is not known any more');
    session.requests += 1;
    const closed = new AbortController();
    // The client resumes it by another GET. A POST ends with the result of its call, which its client may ask for only once.
    if (request.method === 'GET') void onceTokenEnds(request, { lookMs, signal: closed.signal }, () => reply.raw.destroy());
    onceClosed(reply, () => {
      closed.abort();
      session.requests -= 1;
      session.usedAt = Date.now();
    });
    return reply.send(await session.transport.handleRequest(webRequest(request), { parsedBody: request.body }));
  };
  const config = { roles: ['starter', 'admin'] as const };
  app.post('/mcp', { schema: { ...schema, body }, config }, handle);
  app.get('/mcp', { schema, config, exposeHeadRoute: false }, handle);
  app.delete('/mcp', { schema, config }, handle);
};

const NOTHING: Offers = new Map();
const DECIDES: readonly Role[] = ['approver'];
const ANSWERS: readonly Role[] = ['starter', 'approver'];

function partsOf(parts: GatewayParts, offer: Pick<McpParts, 'offers' | 'mcp' | 'agent'>): PartsOf {
  const { client, log } = parts;
  return (session) => ({
    client,
    log,
    ...offer,
    principal: () => session().principal,
    checkKey: (tool, input) => refuseExpiredKey(parts, tool, session().principal.name, input),
    mayStart: (key) => mayStart(parts, session().principal, key),
    decide: () => (hasRole(session().principal, DECIDES) ? decideFor(parts, session) : null),
    // As over HTTP: a client asks about turns that its principal has begun.
    answer: () => (hasRole(session().principal, ANSWERS) ? answerFor(parts, session) : null),
  });
}

/** The principal as of the last request. A person may take minutes to decide, and lose the role meanwhile. @throws Refusal 403 */
function principalWith(session: () => Session, roles: readonly Role[]): Principal {
  const { principal } = session();
  needRole(principal, roles);
  return principal;
}

function decideFor(parts: GatewayParts, session: () => Session): Decide {
  return async (turn, { decision, digest, note = null }) => {
    const fields = { calls: [digest], note, input: null, outcome: null };
    await decideAs(turn, parts, principalWith(session, DECIDES), { kind: decision, fields });
  };
}

function answerFor(parts: GatewayParts, session: () => Session): SendAnswer {
  return async (turn, { digest, value }) => {
    await answerAs(parts, turn, principalWith(session, ANSWERS), { call: digest, value });
  };
}

/** What was started before under the key is found again. @throws Refusal 429 */
async function mayStart(parts: GatewayParts, { name }: Principal, key: string | undefined): Promise<void> {
  await startLimit(parts).check(async () => {
    const holdfast = await parts.client();
    const isThere = (id: string) =>
      holdfast.find(id).then(
        () => true,
        () => false,
      );
    return key !== undefined && (await Promise.all(idsFromKey(name, key).map(isThere))).includes(true);
  });
}

/** The session that a request names; a new one for an `initialize` message. */
async function sessionOf(
  sessions: Sessions,
  { headers, body, method, principal }: McpRequest,
  parts: PartsOf,
): Promise<Session | 'unknown' | 'missing' | null> {
  const id = headers['mcp-session-id'];
  if (id !== undefined) return sessions.of(String(id), principal) ?? 'unknown';
  if (method !== 'POST' || !sdk.types().isInitializeRequest(body)) return 'missing';
  return sessions.begin(principal, parts);
}

/** Copies only what the protocol reads: no token is passed on. */
function webRequest({ headers, method }: McpRequest): Request {
  const entries = HEADERS.flatMap((name) =>
    typeof headers[name] === 'string' ? [[name, headers[name]] as [string, string]] : [],
  );
  return new Request('http://localhost/mcp', { method, headers: entries });
}

function rpcError(reply: FastifyReply, status: number, code: number, message: string): FastifyReply {
  return reply.code(status).send({ jsonrpc: '2.0', error: { code, message }, id: null });
}

const NO_APP: Wrong = {
  code: 'RESOURCE_NOT_FOUND',
  reason: 'no_app',
  message: 'This gateway does not know which tools the workers serve.',
  hint: 'Start it with --app and the file that the workers have.',
};
const TOO_MANY: Wrong = {
  code: 'RATE_LIMITED',
  reason: 'too_many_sessions',
  message: 'There are too many MCP sessions, and all of them are in use; end one (DELETE) or try again later.',
};

function unknownAgent(agent: string): Wrong {
  return { code: 'RESOURCE_NOT_FOUND', reason: 'unknown_agent', message: `There is no agent ${JSON.stringify(agent)} here.` };
}
