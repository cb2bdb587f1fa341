/** Turns in lists: as Temporal lists them, and with what waits in them for a person. */
import { z } from 'zod';
import { waitingCall } from './turn-view';

export const turnSummary = z.object({
  turn_id: z.string(),
  workflow_id: z.string(),
  agent: z.string(),
  state: z.string(),
  requester: z.string(),
  started_at: z.string(),
  ended_at: z.string().nullable(),
  ui_url: z.string().nullable(),
  key: z
    .string()
    .nullable()
    .describe('The idempotency key that its id is a hash of. Null: its id is no hash, or an older build began it.'),
});

export const question = waitingCall.extend({
  card: z.string().describe('What would happen, in Markdown: to be shown to whoever decides.'),
});

export const pendingTurn = turnSummary.extend({
  tools: z.array(z.string()).describe('Those that wait, by name: known although no worker answers.'),
  calls: z.array(question),
  unreachable: z
    .string()
    .nullable()
    .describe('Why `calls` is empty, or lacks some: they could not be asked for, or their cards could not be read.'),
});

export type TurnSummary = z.infer<typeof turnSummary>;
export type Question = z.infer<typeof question>;
export type PendingTurn = z.infer<typeof pendingTurn>;
