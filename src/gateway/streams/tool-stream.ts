/** Streams one direct call, also one that another request started, and serves `/tools/:toolName/sse`. */
import { randomBytes } from 'node:crypto';
import type { FastifyReply, FastifyInstance } from 'fastify';
import { envelopeOf, type CallHandle } from '../../client/turns/direct-call';
import type { WatchedEvent } from '../../client/events/feed';
import { positionText, type Position, readPosition } from '../../client/events/position';
import type { TurnHandle } from '../../client/turns/turn-handle';
import type { ToolEvent } from '../../shapes/turn-event';
import { directCallId, isDirectCallId, oneTimeKey } from '../../shared/ids';
import { knownVersions } from '../tool-catalogue';
import type { GatewayParts } from '../route';
import { Refusal } from '../http/errors';
import type { Principal } from '../auth/principals';
import { toolSchemas as schemas, type OfTool, type StartCall } from '../schemas/tools';
import { startLimit } from '../http/before-routes';
import { callOf, startCall, withFileContents } from '../tool-calls';
import { visibleTurn } from '../auth/turn-session-access';
import { SseConnection, type StreamLimits } from './connection';
import { STREAM_SETTINGS, type StreamSettings } from './settings';
import { stream } from './send-events-as-sse';
import { waitingCards } from './waiting-cards';
import { toWireEvent, badEventId, READERS } from './turn-events';
import { askedInQuery, type Query } from './query-input';
import { optional } from '../../shared/json/optional';

/** The position before all events of the history. */
export const BEGINNING = '0-0-0';

export function bare(callId: string): string {
  return callId.replace(/^call\//, '');
}

/** Sends the events of a call that POST has started, from its beginning, as the answer itself. */
export async function streamCall(
  reply: FastifyReply,
  { parts, draining }: { parts: GatewayParts; draining: AbortSignal },
  { call, tool, traceId }: { call: CallHandle; tool: string; traceId: string },
): Promise<void> {
  const connection = new SseConnection(reply, { ...STREAM_SETTINGS, ...parts.streams }, draining);
  const toolStream = new ToolStream(parts, { turn: call.turn, tool, traceId, after: null });
  const events = call.turn.stream({ after: null, signal: connection.signal });
  const translate = (watchedEvent: WatchedEvent) => toolStream.translate(watchedEvent);
  await stream(reply, { connection, events, hasEnded: false, first: toolStream.startEvent(), translate, log: parts.log });
}

interface StreamedCall {
  turn: TurnHandle;
  tool: string;
  /** Null: not known. */
  traceId: string | null;
  /** Position of the last event that the reader has; null: it has none. */
  after: Position | null;
}

type ToolEventWithId = ToolEvent & { id: string };

/** Converts a call's events to the tool specification (seeds, "SSE"). Only its end is a `tool_result` or a `tool_error`. */
export class ToolStream {
  private readonly call: string;
  private last: string;
  private toldOnce = 0;

  constructor(
    private readonly parts: GatewayParts,
    private readonly of: StreamedCall,
  ) {
    this.call = bare(of.turn.id);
    this.last = `${this.call}:${of.after === null ? BEGINNING : positionText(of.after)}`;
  }

  /** Carries the first id: a client that loses the connection after it resumes this call. */
  startEvent(): ToolEventWithId {
    const data = { progress: 0, message: 'started', durable: true, call_id: this.of.turn.id };
    return { event: 'tool_progress', id: this.last, data: { ...data, metadata: this.metadata() } };
  }

  async translate(watchedEvent: WatchedEvent): Promise<ToolEventWithId[]> {
    const { position, event } = watchedEvent;
    const id = this.idOf(position);
    const metadata = this.metadata(event.at);
    const durable = position !== null;
    switch (event.type) {
      case 'tool_progress': {
        const progress = event.fraction === null ? null : Math.round(event.fraction * 100);
        return [{ event: event.type, id, data: { progress, message: event.message, durable, metadata } }];
      }
      case 'tool_retrying': {
        const { attempt, max_retries, code, error: message, next_attempt_at } = event;
        const error = { code: code ?? 'EXECUTION_ERROR', message };
        const data = { retry_count: attempt - 1, max_retries, error, next_attempt_at, durable, metadata };
        return [{ event: event.type, id, data }];
      }
      case 'approval_requested': {
        const card = await waitingCards(this.parts).of(this.of.turn, event);
        const data = { ...toWireEvent(watchedEvent, event), card, call_id: this.of.turn.id, metadata };
        return [{ event: event.type, id, data }];
      }
      case 'approval_decided': {
        const data = { ...toWireEvent(watchedEvent, event), call_id: this.of.turn.id, metadata };
        return [{ event: event.type, id, data }];
      }
      case 'tool_error': {
        if (event.effect !== 'in_doubt') return []; // its end reports it
        const message = 'It is not known whether the call took effect. Its probe is asked, then a person.';
        return [{ event: 'tool_progress', id, data: { progress: null, message, effect: 'in_doubt', durable, metadata } }];
      }
      case 'turn_completed': {
        const envelope = await withFileContents(this.parts.store, envelopeOf(await this.of.turn.result()));
        return [envelope.success ? { event: 'tool_result', id, data: envelope } : { event: 'tool_error', id, data: envelope }];
      }
      default:
        return [];
    }
  }

  private idOf(position: Position | null): string {
    if (position === null) return `${this.last}.${(this.toldOnce += 1)}`;
    return (this.last = `${this.call}:${positionText(position)}`);
  }

  private metadata(timestamp = new Date().toISOString()) {
    const { tool: tool_name, traceId } = this.of;
    return { tool_name, timestamp, ...(traceId === null ? {} : { trace_id: traceId }) };
  }
}

// One direct call as a stream, with the four events of the tool specification and their shapes. GET starts a call only if a
// second call does no harm, since an EventSource reconnects by GET. For all other tools POST answers with the id of the call, and
// GET streams its events.

const STARTERS = ['starter', 'admin'] as const;

interface Follow extends OfTool {
  Querystring: Query;
}

export function toolEvents(app: FastifyInstance, parts: GatewayParts, limits: StreamLimits, settings: StreamSettings): void {
  app.get<Follow>(
    '/tools/:toolName/sse',
    { schema: schemas.follow, config: { roles: READERS, takesTicket: true }, exposeHeadRoute: false },
    async (request, reply) => {
      const { principal, params, headers, query, signIn } = request;
      const { toolName } = params;
      const resumePoint = whereFrom(headers['last-event-id'], query);
      // Other pages can make a browser send its cookie with a GET, so with a cookie no GET starts anything.
      if (resumePoint === null && signIn !== null) throw notByGet(toolName);
      const leave = limits.take(principal.name);
      try {
        const turnId = resumePoint?.turnId ?? (await start(principal, toolName, query));
        const { turn, summary, traceId } = await visibleTurn(parts, principal, turnId);
        const connection = new SseConnection(reply, settings, app.draining);
        const events = turn.stream({ after: resumePoint?.after ?? null, signal: connection.signal });
        const toolStream = new ToolStream(parts, { turn, tool: toolName, traceId, after: resumePoint?.after ?? null });
        await stream(reply, {
          connection,
          events,
          hasEnded: summary.ended_at !== null && resumePoint !== null,
          ...(resumePoint === null ? { first: toolStream.startEvent() } : {}),
          translate: (watchedEvent) => toolStream.translate(watchedEvent),
          log: parts.log,
        });
      } finally {
        leave();
      }
      return reply;
    },
  );

  const start = async (principal: Principal, toolName: string, query: Query): Promise<string> => {
    if (!STARTERS.some((role) => principal.roles.includes(role))) {
      const message = `To start a call takes one of the roles ${STARTERS.join(', ')}.`;
      throw new Refusal({ code: 'PERMISSION_DENIED', reason: 'role_missing', message });
    }
    const versions = await knownVersions(parts, toolName);
    if (!versions?.every((entry) => entry.class === 'compute' || entry.class === 'read')) throw notByGet(toolName);
    const { input, agent } = askedInQuery(query, versions);
    await startLimit(parts).check();
    const key = oneTimeKey(randomBytes(16).toString('hex'));
    const body = { input, ...optional({ agent }) };
    return (await (await parts.client()).call(callOf(toolName, body, principal.name, key))).id;
  };

  app.post<StartCall>(
    '/tools/:toolName/sse',
    { schema: schemas.start, config: { roles: STARTERS, startsWork: true } },
    async (request, reply) => {
      const { params } = request;
      const call = await startCall(parts, request, params.toolName);
      const base = `/v1/turns/${encodeURIComponent(call.id)}`;
      return reply
        .code(202)
        .header('cache-control', 'no-store')
        .send({
          call_id: call.id,
          state: 'running',
          pending: [],
          view_url: base,
          events_url: `/tools/${params.toolName}/sse?call=${encodeURIComponent(bare(call.id))}`,
          decisions_url: `${base}/decisions`,
          ui_url: call.uiUrl,
        });
    },
  );
}

const CALL = /^(?:call\/)?([A-Za-z0-9._~-]{1,128})$/;
/** A live event has the position before it, and a number: a client that reconnects resumes after the position. */
const EVENT_ID = /^([A-Za-z0-9._~-]{1,128}):(\d[\d-]{0,40})(?:\.\d{1,9})?$/;
/** Null: a new call. @throws Refusal 400 */
function whereFrom(lastEventId: string | string[] | undefined, query: Query): { turnId: string; after: Position | null } | null {
  if (lastEventId !== undefined && lastEventId !== '') {
    const [, call, text] = EVENT_ID.exec(String(lastEventId)) ?? [];
    const after = text === undefined || text === BEGINNING ? null : readPosition(text);
    const isSameCall = query.call === undefined || bare(String(query.call)) === call;
    if (call !== undefined && isSameCall && isDirectCallId(directCallId(call)) && (after !== null || text === BEGINNING))
      return { turnId: directCallId(call), after };
    throw badEventId('An event id of a call looks like CALL:1-27-0, and names the call that is asked for.');
  }
  if (query.call === undefined) return null;
  const call = CALL.exec(String(query.call))?.[1];
  if (call === undefined || !isDirectCallId(directCallId(call)))
    throw new Refusal({
      code: 'INVALID_PARAMS',
      reason: 'bad_call',
      message: '"call" must be the id of a call, as POST gave it.',
    });
  return { turnId: directCallId(call), after: null };
}

function notByGet(tool: string): Refusal {
  const message = `GET starts only tools that this gateway knows to be of class compute or read, and with a token: an EventSource that reconnects would call ${tool} again.`;
  const hint = `POST /tools/${tool}/sse, and GET the events_url that it answers.`;
  return new Refusal({ code: 'INVALID_PARAMS', reason: 'not_by_get', message, hint, status: 405 });
}
