/** Schemas of a session as clients see it. Wire format: snake_case. */
import { z } from 'zod';
import { TURN_STATES } from '../shared/turn/turn-states';
import { usage } from './turn-view';

const turnState = z.enum(TURN_STATES);

export const sessionView = z.object({
  session_id: z.string(),
  workflow_id: z.string(),
  run_id: z.string(),
  agent: z.string(),
  requester: z.string(),
  title: z.string().nullable(),
  state: z
    .enum(['open', 'closing', 'closed'])
    .describe('`closing`: nothing is taken any more, and what was taken runs to its end.'),
  head: z.string().nullable().describe('The last block of its transcript, 64 hex; null before the first turn ended.'),
  running: z.object({ turn_id: z.string(), since: z.string() }).nullable().describe('The turn that runs now.'),
  held: z
    .object({ turn_id: z.string(), state: turnState, reason: z.string().nullable() })
    .nullable()
    .describe('The last turn did not come to its end: nothing runs until somebody says something.'),
  queue: z.array(z.object({ turn_id: z.string(), at: z.string() })).describe('Turns that wait, in order.'),
  turns: z.number().int().describe('How many have ended.'),
  last: z.array(z.object({ turn_id: z.string(), state: turnState })).describe('The last 20 of them, the newest last.'),
  usage,
  cached_share: z
    .number()
    .nullable()
    .describe('Of all that was sent to the model: which part its prompt cache had, 0 to 1; null before anything was sent.'),
  forked_from: z.object({ block: z.string(), turn_id: z.string() }).nullable(),
  started_at: z.string(),
  ended_at: z.string().nullable(),
  ui_url: z.string().nullable(),
});

/** As Temporal's visibility lists it: no worker is queried. */
export const sessionSummary = z.object({
  session_id: z.string(),
  workflow_id: z.string(),
  agent: z.string(),
  requester: z.string(),
  title: z.string().nullable(),
  state: z.enum(['open', 'closed']),
  started_at: z.string(),
  ended_at: z.string().nullable(),
  ui_url: z.string().nullable(),
});

export type SessionView = z.infer<typeof sessionView>;
export type SessionSummary = z.infer<typeof sessionSummary>;
