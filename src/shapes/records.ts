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

export const turnFile = z.object({
  call_id: z.string().describe('`<step>.<index>`: the call in whose result it is.'),
  tool: name,
  filename: z.string(),
  content_type: z.string(),
  size: z.number().int().describe('Bytes.'),
  sha256: z.string().describe('Of the bytes, 64 hex.'),
  ref: z.string().describe('As in the result of the tool, 64 hex.'),
  url: z.string().describe('Relative to the gateway: the file, to be saved. Whoever has the address can read the file.'),
  expires_at: z.string().describe('Until when the address works; ask again for a new one.'),
});
export const turnFiles = z.object({
  files: z.array(turnFile).describe('In the order of the calls.'),
  complete: z.boolean().describe('False: the turn has more files than are listed; its bundle has all of them.'),
});

export type TurnFile = z.infer<typeof turnFile>;
export type TurnFiles = z.infer<typeof turnFiles>;
export type BudgetEntry = z.infer<typeof budgetEntry>;
export type TrailEntryView = z.infer<typeof trailEntry>;
export type WhatIfAnswer = z.infer<typeof whatIf>;
