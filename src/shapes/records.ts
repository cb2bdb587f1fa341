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

// The stop switch: what is frozen, and whose approvals were withdrawn.

const stopName = z.string().min(1).max(200).regex(/\S/);
const stopReason = z.string().max(1000).regex(/\S/);

export const freezeView = z.object({
  id: z.string().describe('For `DELETE /v1/freezes/{id}`.'),
  scope: z.enum(['all', 'agent', 'tool', 'tenant']),
  name: z.string().describe('Of the agent, the tool or the tenant; empty for `all`.'),
  at: z.string(),
  by: z.string(),
  reason: z.string(),
});
export type FreezeView = z.infer<typeof freezeView>;

export const freezeList = z.object({ freezes: z.array(freezeView) });

export const freezeBody = z.strictObject({
  scope: z.enum(['all', 'agent', 'tool', 'tenant']),
  name: stopName.optional().describe('Not with `all`.'),
  reason: stopReason.describe('Everybody sees it who sees the freeze.'),
});

export const withdrawalBody = z.strictObject({
  approver: stopName.describe('The full name of the person whose approvals are withdrawn.'),
  reason: stopReason.optional().describe('It stands on the cards of the calls that are asked about again.'),
});

export const withdrawalView = z.object({ approver: z.string(), at: z.string(), by: z.string(), reason: z.string() });
export type WithdrawalView = z.infer<typeof withdrawalView>;

export const exampleFreeze = {
  id: '0a1b2c3d4e5f6071',
  scope: 'tool',
  name: 'send_credit_memo',
  at: '2026-11-29T02:00:00.000Z',
  by: 'root',
  reason: 'the ledger shows amounts twice',
};

export const exampleWithdrawal = { approver: 'ana', at: '2026-11-29T02:00:00.000Z', by: 'root', reason: 'her laptop was stolen' };
