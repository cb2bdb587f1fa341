/**
 * The MCP server for one client, with this app's tools and agents. A call is a direct call or a turn like any other: durable,
 * admitted, approved, recorded. It outlives this server: a client that cancels it ends it, a client that only disconnects does
 * not.
 */
import type { McpDefinition } from '../../agents/mcp';
import type { HoldfastClient } from '../../client/holdfast-client';
import { TurnNotFound } from '../../client/errors';
import type { TurnHandle } from '../../client/turns/turn-handle';
import type { Json, JsonObject } from '../../shared/json/json';
import { version } from '../../version';
import { wrongOf, type Wrong } from '../../gateway/http/errors';
import { sees, type Principal } from '../../gateway/auth/principals';
import { AppAnswers, askerOf, invalidParams, pageOf, quote } from './app-prompts';
import { capabilitiesOf, offerOfApp, type Offer, type Offers } from './offers';
import { inputFromClient, listedFor, NotGiven, elicitation, type Decide } from './asks';
import { questionElicitation, type SendAnswer } from './ask-question';
import { follow, type Asks, type FollowResult } from './wait-for-turn';
import { reportProgress, type ToolLogs } from './progress';
import { endedResult, openResult, wrongResult } from './results';
import {
  sdk,
  type CallToolResult,
  type RequestId,
  type RequestHandlerExtra,
  type Server,
  type ServerNotification,
  type ServerRequest,
} from './sdk';
import type { TurnEvent } from '../../shapes/turn-event';
import type { ToolLogger } from '../../tools/define/tool';

export interface McpParts {
  client(): Promise<HoldfastClient>;
  log: ToolLogger;
  /** The client's principal. */
  principal(): Principal;
  /**
   * Called before a call with a key: refuses a call that was made so long ago that Temporal has forgotten it. Absent: only
   * Temporal checks the key. @throws Refusal
   */
  checkKey?(tool: string, key: string): Promise<void>;
  /** Called before a call or turn is started, with its key. Absent: nothing is refused. @throws Refusal while workers cannot keep up */
  mayStart?(key: string | undefined): Promise<void>;
  /** The present offers; the same object until they change. */
  offers(): Offers;
  /** What the app offers besides tools. */
  mcp: McpDefinition;
  /** The agent whose tools the client asked for; absent: all agents. */
  agent?: string | undefined;
  /** Null: the principal may not decide, or not from here. */
  decide(): Decide | null;
  /** Null: the principal may not answer questions of the model, or not from here. */
  answer(): SendAnswer | null;
}

export interface McpEndpoint {
  server: Server;
  offers(): Offers;
  /** Number of calls that have not been answered. */
  open(): number;
  /** The connection is about to end: running calls go on. */
  leave(): void;
}

type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>;

const MOST_OPEN_CALLS = 32;
/** A client that has to wait longer asks for the outcome. */
const WAIT_MS = 10 * 60_000;
/** The field of a request's `_meta` with its idempotency key: the same key again is the same call. */
const KEY = 'holdfast/idempotency_key';

const INSTRUCTIONS =
  'Tools that can do harm wait for a person to approve the exact call. An answer that says that a call waits or goes on is no ' +
  'failure: do not call again, ask holdfast_outcome.';

export function createMcpEndpoint(parts: McpParts): McpEndpoint {
  const { mcp, log, offers } = parts;
  const capabilities = { tools: { listChanged: true }, ...capabilitiesOf(mcp) };
  const { CallToolRequestSchema, ListToolsRequestSchema, McpError } = sdk.types();
  const server: Server = new (sdk.server().Server)({ name: 'holdfast', version }, { capabilities, instructions: INSTRUCTIONS });
  const app = new AppAnswers({ mcp, asker: () => askerOf(parts.principal(), parts.agent), log });
  const ofApp = offerOfApp(server, app, capabilities);
  let open = 0;
  let hasLeft = false;
  server.onerror = (error) => log.debug({ err: error }, 'an MCP message was not taken');
  server.setRequestHandler(ListToolsRequestSchema, ({ params }) => {
    const { page, ...next } = pageOf([...offers().values()], params?.cursor);
    return { tools: page.map((offer) => listedFor(server, mcp, offer)), ...next };
  });
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, extra) => {
    const offer = offers().get(params.name);
    if (!offer) throw invalidParams(`There is no tool ${quote(params.name)}.`);
    if (open >= MOST_OPEN_CALLS) return wrongResult(TOO_MANY);
    open += 1;
    try {
      const args = (params.arguments ?? {}) as JsonObject;
      const asking = { server, app, requestId: extra.requestId, signal: extra.signal };
      const input = offer.kind === 'tool' ? await inputFromClient(asking, offer, args) : args;
      return await answer(parts, server, { offer, input, logs: ofApp.logs, left: () => hasLeft }, extra);
    } catch (error) {
      if (extra.signal.aborted || error instanceof McpError) throw error;
      return wrongResult(error instanceof NotGiven ? error.wrong : (wrongOf(error) ?? ourFault(log, error)));
    } finally {
      open -= 1;
    }
  });
  const leave = () => {
    hasLeft = true;
    ofApp.end();
  };
  return { server, offers, open: () => open, leave };
}

interface IncomingCall {
  offer: Offer;
  input: JsonObject;
  /** Null: clients get no logs. */
  logs: ToolLogs | null;
  left(): boolean;
}

async function answer(parts: McpParts, server: Server, call: IncomingCall, extra: Extra): Promise<CallToolResult> {
  const { offer, input, left } = call;
  const { signal, requestId } = extra;
  const own = offer.kind !== 'outcome';
  const turn = offer.kind === 'outcome' ? await seenTurn(parts, input.id) : await startTurn(parts, offer, input, extra);
  const asks = own && server.getClientCapabilities()?.elicitation?.form ? asksOf(parts, server, requestId) : NOBODY;
  const heard = own ? listeners(turn.id, call.logs, extra) : listeners(turn.id, null, extra);
  const atMost = own ? WAIT_MS : secondsOf(input.wait_seconds) * 1000;
  try {
    const outcome = await follow(turn, { asks, signal, atMost, heard: (event) => heard.forEach((listener) => listener(event)) });
    return resultOf(turn, outcome, offer.kind === 'tool' ? offer.listing.outputSchema : undefined);
  } catch (error) {
    if (!own) throw error;
    if (signal.aborted) {
      if (!left()) await cancelTurn(parts.log, turn);
      throw error;
    }
    parts.log.warn({ err: error, turn: turn.id }, 'an MCP call that has begun could not be watched');
    return openResult(turn.id, turn.uiUrl, { why: 'unseen' });
  }
}

const NOBODY: Asks = { approval: null, question: null };

/** How the client's user is asked, as far as the principal may decide and answer. */
function asksOf(parts: McpParts, server: Server, requestId: RequestId): Asks {
  const [decide, send, principal] = [parts.decide(), parts.answer(), parts.principal()];
  return {
    approval: decide && elicitation(server, requestId, decide),
    question: send && questionElicitation(server, requestId, { principal, send }),
  };
}

/** Listeners for the turn's events. Logs are sent only for a call that the client has made itself. */
function listeners(turnId: string, logs: ToolLogs | null, { _meta, sendNotification }: Extra): ((event: TurnEvent) => void)[] {
  const token = _meta?.progressToken;
  const progress = token === undefined ? [] : [reportProgress(turnId, token, sendNotification)];
  return logs === null ? progress : [...progress, logs.report(sendNotification)];
}

function resultOf(turn: TurnHandle, outcome: FollowResult, output: object | undefined): CallToolResult {
  return 'ended' in outcome ? endedResult(outcome.ended, output) : openResult(turn.id, turn.uiUrl, outcome.open);
}

async function startTurn(
  { client, principal, checkKey, mayStart }: McpParts,
  offer: Offer & { kind: 'tool' | 'agent' },
  input: JsonObject,
  { _meta }: Extra,
): Promise<TurnHandle> {
  const requester = principal().name;
  const holdfast = await client();
  const key = _meta?.[KEY];
  const once: { id?: string } = typeof key === 'string' ? { id: key } : {};
  await mayStart?.(once.id);
  if (offer.kind === 'agent') return holdfast.start({ agent: offer.agent, message: input.message as string, requester, ...once });
  if (once.id !== undefined) await checkKey?.(offer.tool, once.id);
  return (await holdfast.call({ tool: offer.tool, agent: offer.agent, input, requester, ...once })).turn;
}

/** @throws TurnNotFound for a turn that does not exist, or that the principal may not see */
async function seenTurn({ client, principal }: McpParts, id: Json | undefined): Promise<TurnHandle> {
  const holdfast = await client();
  const text = typeof id === 'string' ? id : '';
  const { owner } = await holdfast.look(text);
  if (!sees(principal(), owner.requester)) throw new TurnNotFound(text);
  return holdfast.turn(text, owner);
}

function secondsOf(wait: Json | undefined): number {
  return typeof wait === 'number' && wait >= 0 && wait <= 50 ? wait : 20;
}

async function cancelTurn(log: ToolLogger, turn: TurnHandle): Promise<void> {
  await turn
    .cancel()
    .catch((error: unknown) => log.warn({ err: error, turn: turn.id }, 'a cancelled call could not be cancelled'));
}

function ourFault(log: ToolLogger, error: unknown): Wrong {
  log.error({ err: error }, 'an MCP call failed');
  const message = 'The call could not be answered; the log of the server says why.';
  return { code: 'EXECUTION_ERROR', reason: 'gateway_failed', message };
}

const TOO_MANY: Wrong = {
  code: 'RATE_LIMITED',
  reason: 'too_many_calls',
  message: `This client has ${MOST_OPEN_CALLS} calls that have not been answered; wait for one of them.`,
};
