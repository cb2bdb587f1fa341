/**
 * `GET /v1/pending`: what waits for a person, and `GET /v1/pending/events`, the same as a stream. Both are answered from the
 * inbox of this process, of which each principal sees its part.
 */
import { z } from 'zod';
import type { Inbox } from '../../client/approvals/inbox';
import { pendingRow, type PendingRow } from '../../shapes/inbox';
import { pendingTurn, type PendingTurn } from '../../shapes/turn-view';
import { isJsonObject } from '../../shared/json/json';
import { parseJson } from '../../shared/json/parse-json';
import type { ToolLogger } from '../../tools/define/tool';
import { visibilityOf } from '../auth/principals';
import { Refusal } from '../http/errors';
import type { Route } from '../route';
import { answer, answers, jsonSchema, lastEventIdHeader, textAnswer } from '../schemas/common';
import { examplePending } from '../schemas/examples';
import { SseConnection, StreamLimits, streamLimits } from '../streams/connection';
import { STREAM_SETTINGS } from '../streams/settings';

const READERS = ['approver', 'auditor', 'admin'] as const;
const tags = ['turns'];
/** Turns of one page at most, and of a page of rows by default. */
const MOST_TURNS = 2000;
const ROWS = 1000;

const query = z.strictObject({
  compact: z
    .boolean()
    .default(false)
    .describe('true: rows for a list. Cards have no Markdown, and long fields are cut; what is known is answered at once.'),
  limit: z
    .number()
    .int()
    .min(1)
    .max(MOST_TURNS)
    .optional()
    .describe(`Turns of a page. Default: ${ROWS} with \`compact\`, else all.`),
  cursor: z.string().max(1000).optional().describe('`next_cursor` of the page before.'),
});
const page = z.object({
  turns: z.array(z.union([pendingTurn, pendingRow])).describe('Newest first.'),
  next_cursor: z.string().nullable(),
});

const listSchema = {
  summary: 'What waits for a person',
  description:
    'Turns and direct calls in which a call waits for approval, or is in doubt. Their workers tell the calls; where none answers for five seconds, `unreachable` says why, and the rest is what was known before.',
  tags,
  querystring: jsonSchema(query),
  response: answers({ 200: answer('All that waits now.', page, { turns: [examplePending], next_cursor: null }) }),
};

const streamSchema = {
  summary: 'Follow what waits for a person',
  description:
    'Server-sent events. `waiting_reading` says how many of the turns are read; with `snapshot: true` it begins the list anew. `waiting_added` and `waiting_changed` have the whole row of a turn, as with `compact`; `waiting_removed` names one in which nothing waits any more. With `Last-Event-ID` a reader gets what changed since; where this gateway does not know that event, a snapshot. The stream ends after ten minutes: the reader reconnects, and its rights are checked anew.',
  tags,
  headers: lastEventIdHeader,
  response: answers({
    200: textAnswer(
      'The stream.',
      'text/event-stream',
      'event: waiting_removed\nid: 0a1b2c3d4e5f6071-12\ndata: {"turn_id":"inv-7"}\n\n',
    ),
  }),
};

/** How long a stream stays open, ms. */
const STREAM_MS = 600_000;
/** Streams of one principal: each is told every change. */
const STREAMS = 8;

export const pending: Route = (app, parts) => {
  app.get<{ Querystring: z.infer<typeof query>; Reply: z.infer<typeof page> }>(
    '/v1/pending',
    { schema: listSchema, config: { roles: READERS } },
    async ({ principal, query: { compact, limit, cursor } }, reply) => {
      const { inbox } = await parts.client();
      const visibility = visibilityOf(principal);
      const turns = compact ? await inbox.rows(visibility) : await inbox.pending(visibility);
      const { page, next_cursor } = pageOf<PendingRow | PendingTurn>(turns, limit ?? (compact ? ROWS : Infinity), cursor);
      return reply.header('cache-control', 'no-store').send({ turns: within(MOST_CARDS, page), next_cursor });
    },
  );

  const settings = { ...STREAM_SETTINGS, ...parts.streams };
  const limits = streamLimits(parts);
  const own = new StreamLimits({ perPrincipal: Math.min(STREAMS, settings.perPrincipal), inAll: settings.inAll });
  app.get(
    '/v1/pending/events',
    { schema: streamSchema, config: { roles: READERS, takesTicket: true }, exposeHeadRoute: false },
    async ({ principal, headers }, reply) => {
      const { inbox } = await parts.client();
      const places = [own.take(principal.name)];
      try {
        places.push(limits.take(principal.name));
        const connection = new SseConnection(reply, settings, app.draining);
        const after = headers['last-event-id'];
        const of = { after: typeof after === 'string' ? after : undefined, visibility: visibilityOf(principal) };
        await send(connection, inbox, of, parts.log);
      } finally {
        for (const leave of places) leave();
      }
      return reply;
    },
  );
};

async function send(
  connection: SseConnection,
  inbox: Inbox,
  of: Omit<Parameters<Inbox['follow']>[0], 'signal'>,
  log: ToolLogger,
): Promise<void> {
  const signal = AbortSignal.any([connection.signal, AbortSignal.timeout(STREAM_MS)]);
  connection.open();
  try {
    for await (const event of inbox.follow({ ...of, signal })) await connection.send(event);
    connection.end('reconnect');
  } catch (error) {
    log.warn({ err: error }, 'a stream of what waits failed; its client reconnects');
    connection.end('the stream failed; reconnect');
  }
}

// Pages are in the order of the turns' starts: a turn that begins meanwhile moves no other to another page.

type Position = Pick<PendingTurn, 'started_at' | 'turn_id'>;

function pageOf<T extends Position>(turns: T[], limit: number, cursor?: string): { page: T[]; next_cursor: string | null } {
  const after = cursor === undefined ? null : positionOf(cursor);
  const sorted = turns.toSorted(byStart).filter((turn) => after === null || byStart(after, turn) < 0);
  const page = sorted.slice(0, limit);
  const last = sorted.length > limit ? page.at(-1)! : null;
  return { page, next_cursor: last && cursorOf(last) };
}

/** Newest first. */
function byStart(a: Position, b: Position): number {
  if (a.started_at !== b.started_at) return a.started_at > b.started_at ? -1 : 1;
  return a.turn_id < b.turn_id ? -1 : Number(a.turn_id > b.turn_id);
}

function cursorOf({ started_at, turn_id }: Position): string {
  return Buffer.from(JSON.stringify({ started_at, turn_id })).toString('base64url');
}

/** It names no more than a place in the order, so whoever makes one up learns nothing. @throws Refusal 400 */
function positionOf(cursor: string): Position {
  try {
    const position = parseJson(Buffer.from(cursor, 'base64url').toString('utf8'));
    if (isJsonObject(position) && typeof position.started_at === 'string' && typeof position.turn_id === 'string')
      return { started_at: position.started_at, turn_id: position.turn_id };
  } catch {
    // reported below
  }
  const message = 'This cursor is none that this list gave.';
  const hint = 'Use next_cursor exactly as the page before gave it; or leave cursor out to begin anew.';
  throw new Refusal({ code: 'INVALID_PARAMS', reason: 'bad_cursor', message, hint });
}

/** Limit for all cards together, characters: each may be long, and requesters decide how many there are. */
const MOST_CARDS = 4_000_000;

/** Short turns first: a few long ones must not hide all others. A turn that does not fit is listed without its calls. */
function within<T extends PendingTurn | PendingRow>(most: number, turns: T[]): T[] {
  const lengths = new Map(
    turns.map((turn) => [turn, turn.calls.reduce((sum, { card }) => sum + JSON.stringify(card).length, 0)]),
  );
  const fit = new Set<T>();
  let room = most;
  for (const turn of [...turns].sort((a, b) => lengths.get(a)! - lengths.get(b)!))
    if ((room -= lengths.get(turn)!) >= 0) fit.add(turn);
  const unreachable =
    'Its cards do not fit into one answer beside the others: decide those first, ask for a page by `limit`, or for it by `holdfast pending`.';
  return turns.map((turn) => (fit.has(turn) ? turn : { ...turn, calls: [], unreachable }));
}
