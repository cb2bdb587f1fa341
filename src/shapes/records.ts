/** Schemas of what a page shows of the record: pages of the trail, budgets, and a what-if. Wire format: snake_case. */
import { z } from 'zod';

const name = z.string();

export const budgetEntry = z.object({
  agent: name,
  budget: name,
  per: z.string().describe('What the cap applies to: `agent`, `session`, `principal` or `tool`.'),
  of: z.string().describe('The session, principal or tool; empty: one budget for the agent.'),
  view: z
    .object({
      cap: z.string().nullable(),
      window_ms: z.number().nullable(),
      used: z.string(),
      left: z.string(),
      reserved: z.number(),
      in_doubt: z.number(),
      over: z.number().describe('Calls that a person approved beyond the cap.'),
    })
    .nullable()
    .describe('Null: no worker answers.'),
  unreachable: z.string().nullable().describe('Why `view` is null.'),
});

export const trailEntry = z.object({
  at: z.string(),
  kind: z.string().describe('`admission`, `decision`, `dispatch`, `effect` or `settlement`.'),
  state: z.string(),
  turn_id: name,
  workflow_id: name,
  agent: name,
  requester: name,
  call_id: z.string().describe('`<step>.<index>`.'),
  revision: z.number().int(),
  tool: name,
  version: name,
  class: z.string(),
  digest: z.string().nullable().describe('Null for an admission, which comes before it.'),
  by: z.string().describe('The person who decided or settled; empty: no person did.'),
  block: z.string().describe('The block of the transcript that says it, 64 hex.'),
  verified: z.boolean().describe('Whether that block exists and says the same.'),
});

const decision = z.object({
  outcome: z.enum(['allowed', 'asked', 'refused', 'not_reached', 'cannot_tell']),
  answer: z.string().nullable().describe('What people answered. Null: nobody was asked, or it is unknown.'),
  reason: z.string(),
});
const stop = z
  .union([z.object({ before_step: z.number(), reason: z.string() }), z.literal('cannot_tell')])
  .nullable()
  .describe('Where a limit ends the turn. Null: none does.');

export const whatIf = z.object({
  agent: name,
  differences: z.number().int(),
  unknown: z.number().int().describe('Calls and ends of which this cannot be told.'),
  turns: z.array(
    z.object({
      turn_id: name,
      agent: name,
      was_stopped: stop,
      would_stop: stop,
      differs: z.boolean(),
      hidden_calls: z.number().int(),
      calls: z.array(
        z.object({
          call_id: z.string(),
          revision: z.number().int(),
          tool: name,
          version: name,
          class: z.string(),
          was: decision,
          would: decision,
          differs: z.boolean(),
          after_difference: z.boolean().describe('After another difference: the model might not have asked for it.'),
        }),
      ),
    }),
  ),
});

export type BudgetEntry = z.infer<typeof budgetEntry>;
export type TrailEntryView = z.infer<typeof trailEntry>;
export type WhatIfAnswer = z.infer<typeof whatIf>;
