/**
 * Schemas of the inbox as lists show it: each waiting turn as a row, with light cards, and the events of its stream. A row is enough
 * to choose a call; `GET /v1/turns/:id` has the whole card. Wire format: snake_case.
 */
import { z } from 'zod';
import { card } from './card';
import { pendingTurn, waitingCall } from './turn-view';

const rowCard = card
  .omit({ markdown: true })
  .describe('A card without its Markdown, and with long fields cut. If one was cut, `incomplete` says where the whole card is.');

const rowCall = waitingCall.extend({ card: rowCard });

export const pendingRow = pendingTurn.extend({ calls: z.array(rowCall) });

/** How far the gateway has come in reading what waits. */
const reading = z.object({
  done: z.number().int().describe('Turns whose calls are known.'),
  total: z.number().int().describe('Turns that wait.'),
  fault: z
    .string()
    .nullable()
    .describe('Why what follows may be out of date: Temporal or the workers do not answer. Null: it is not.'),
  snapshot: z
    .boolean()
    .describe('true: forget what earlier events of this stream said. All that waits follows, as `waiting_added`.'),
});

export const inboxEvent = z.discriminatedUnion('event', [
  z.object({ event: z.literal('waiting_reading'), data: reading }),
  z.object({ event: z.literal('waiting_added'), data: pendingRow }),
  z.object({ event: z.literal('waiting_changed'), data: pendingRow.describe('The whole row, in place of the one before.') }),
  z.object({ event: z.literal('waiting_removed'), data: z.object({ turn_id: z.string() }) }),
]);

export type RowCard = z.infer<typeof rowCard>;
export type RowCall = z.infer<typeof rowCall>;
export type PendingRow = z.infer<typeof pendingRow>;
export type InboxReading = z.infer<typeof reading>;
export type InboxEvent = z.infer<typeof inboxEvent>;
