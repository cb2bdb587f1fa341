/** `GET /v1/turns/:id/events`: streams a turn's events, from its beginning or from the reader's last position, until it ends. */
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { WatchedEvent } from '../../client/events/feed';
import type { SessionHandle } from '../../client/sessions/session-handle';
import { positionText, readPosition, type Position } from '../../client/events/position';
import { Refusal } from '../http/errors';
import { answers, textAnswer, jsonSchema, lastEventIdHeader, turnParams } from '../schemas/common';
import type { Principal } from '../auth/principals';
import type { Card } from '../../shapes/card';
import type { ToldEvent, ToldHow } from '../../shapes/turn-event';
import type { TurnHandle } from '../../client/turns/turn-handle';
import { NotBegun, visibleTurn } from '../auth/turn-session-access';
import { SseConnection, type ServerSentEvent, type StreamLimits } from './connection';
import type { StreamSettings } from './settings';
import { stream } from './send-events-as-sse';
import { waitingCards } from './waiting-cards';
import type { GatewayParts } from '../route';

export const READERS = ['starter', 'approver', 'auditor', 'admin'] as const;

const query = z.object({ after: z.string().max(200).optional().describe('As `Last-Event-ID`, which wins over it.') });
const schema = {
  summary: 'Follow a turn',
  description:
    'Server-sent events. Those with an id come from the workflow’s history: with `Last-Event-ID` the stream goes on after it, at any gateway, also after the end. Those without (`text_delta`, `tool_progress`, `tool_retrying`) say `durable: false` and are not told again. Of a turn that waits in its session the stream begins with the turn. 204: it has ended, and all has been told.',
  tags: ['turns'],
  params: turnParams,
  headers: lastEventIdHeader,
  querystring: jsonSchema(query),
  response: answers(
    {
      200: textAnswer(
        'The stream.',
        'text/event-stream',
        'event: step_started\nid: 1-5-0\ndata: {"seq":2,"durable":true,"type":"step_started","step":1,"at":"2026-11-21T09:30:00.000Z"}\n\n',
      ),
      204: { description: 'It has ended, and all has been told.', type: 'null' },
    },
    404,
  ),
};

interface OfTurn {
  Params: { id: string };
  Querystring: z.infer<typeof query>;
}

export function turnEvents(app: FastifyInstance, parts: GatewayParts, limits: StreamLimits, settings: StreamSettings): void {
  const cards = waitingCards(parts);
  app.get<OfTurn>(
    '/v1/turns/:id/events',
    { schema, config: { roles: READERS, takesTicket: true }, exposeHeadRoute: false },
    async (request, reply) => {
      const { principal, params, headers, query } = request;
      const after = positionAfter(headers['last-event-id'] ?? query.after);
      const { follow, hasEnded, turn } = await findTurnSource(parts, principal, params.id);
      const leave = limits.take(principal.name);
      try {
        const connection = new SseConnection(reply, settings, app.draining);
        const events = follow({ after, signal: connection.signal });
        await stream(reply, {
          connection,
          events,
          hasEnded,
          // In a turn that has ended nothing waits: each look would read its whole history.
          translate: (event) => toServerSentEvents(event, async (question) => (hasEnded ? null : cards.of(turn, question))),
          log: parts.log,
        });
      } finally {
        leave();
      }
      return reply;
    },
  );
}

interface TurnSource {
  turn: TurnHandle;
  hasEnded: boolean;
  follow(from: { after: Position | null; signal: AbortSignal }): AsyncGenerator<WatchedEvent>;
}

/** For a turn that its session has not begun: its events, once it begins. @throws Refusal 404 */
async function findTurnSource(parts: GatewayParts, principal: Principal, id: string): Promise<TurnSource> {
  try {
    const { turn, summary } = await visibleTurn(parts, principal, id);
    return { turn, hasEnded: summary.ended_at !== null, follow: (from) => turn.stream(from) };
  } catch (error) {
    if (!(error instanceof NotBegun)) throw error;
    const { session } = error;
    const turn = (await parts.client()).turn(id);
    return { turn, hasEnded: false, follow: (from) => onceBegun(session, id, from) };
  }
}

async function* onceBegun(
  session: SessionHandle,
  id: string,
  from: Parameters<TurnSource['follow']>[0],
): AsyncGenerator<WatchedEvent> {
  const turn = await session.started(id, from).catch((error: unknown) => {
    if (from.signal.aborted) return null;
    throw error;
  });
  if (turn !== null) yield* turn.stream(from);
}

/** Null: from the beginning. @throws Refusal 400 for a text that no gateway has given */
function positionAfter(id: string | string[] | undefined): Position | null {
  if (id === undefined || id === '') return null;
  const position = typeof id === 'string' ? readPosition(id) : null;
  if (position === null) throw badEventId('An event id looks like 1-27-0.');
  return position;
}

export function badEventId(hint: string): Refusal {
  const message = 'The id of the last event is none that this gateway gives.';
  return new Refusal({ code: 'INVALID_PARAMS', reason: 'bad_event_id', message, hint });
}

/** Leaves out tool logs: only the MCP client that made the call gets them, not every reader of the turn. */
async function toServerSentEvents(
  { position, seq, event }: WatchedEvent,
  cardOf: (question: { digest: string; at: string }) => Promise<Card | null>,
): Promise<ServerSentEvent[]> {
  if (event.type === 'tool_log') return [];
  const id = position === null ? null : positionText(position);
  const asks = event.type === 'approval_requested' || event.type === 'question_asked';
  const more = asks ? { card: await cardOf(event) } : {};
  return [{ event: event.type, id, data: { ...toWireEvent({ position, seq }, event), ...more } }];
}

/** An event as it is sent. */
export function toWireEvent<E extends ToldEvent>(
  { position, seq }: Pick<WatchedEvent, 'position' | 'seq'>,
  event: E,
): ToldHow & E {
  return { ...(seq === null ? {} : { seq }), durable: position !== null, ...event };
}
