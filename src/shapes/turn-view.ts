/** Schemas of a turn and of its calls as clients see them. Wire format: snake_case. */
import { z } from 'zod';
import { policyEntry } from './policy-entry';
import { TOOL_CLASSES } from '../shared/turn/tool-class';
import { CALL_STATES, EFFECTS, TURN_STATES } from '../shared/turn/turn-states';
import { WAIT_REASONS } from '../shared/turn/turn-states';
import { card } from './card';
import { callError, envelope, jsonObject } from './envelope';

const decisionView = z.object({
  decision: z.enum(['approve', 'deny', 'answer', 'expired']),
  by: z.string(),
  on_behalf_of: z.string().optional().describe('Whom a deputy decided for.'),
  at: z.string(),
  note: z.string().nullable(),
  channel: z.enum(['signal', 'update', 'timer']),
  identity: z.string().describe("What the sender's client claims to be."),
  attested: z.boolean(),
});

const approvalView = z.object({
  required: z.boolean(),
  by: z.array(z.string()).describe('Who has approved, who denied, or who answered.'),
  decision: z.enum(['approve', 'deny', 'answer', 'expired']).nullable(),
  note: z.string().nullable(),
  expires_at: z.string().nullable(),
  quorum: z.number().int().default(1).describe('How many must approve. Absent in older turns.'),
  channel: z
    .enum(['any', 'attested'])
    .default('any')
    .describe('Whose word counts: `attested` takes signed decisions only. Absent in older turns.'),
  decisions: z
    .array(decisionView)
    .default([])
    .describe('All that was decided on this revision, in order. Absent in older turns.'),
  entry: policyEntry.optional(),
});

export const callView = z.object({
  id: z.string().describe('`<step>.<index>`, both from 1.'),
  revision: z
    .number()
    .int()
    .default(1)
    .describe(
      'From 1. An edit, and what makes a call wait again, supersede it by the next: an entry of its own. Absent in older turns.',
    ),
  tool: z.string(),
  version: z.string(),
  class: z.enum(TOOL_CLASSES),
  digest: z.string().nullable().describe('64 hex; null for a call that failed admission.'),
  state: z.enum(CALL_STATES),
  idempotency_key: z.string().nullable(),
  approval: approvalView,
  effect: z.enum(EFFECTS).nullable().describe('What a destructive call did; null for harmless classes, and before its end.'),
  pending_until: z
    .string()
    .optional()
    .describe('For a call that ends later (`ctx.later`): when it expires. Absent: it ended with its run.'),
  attempts: z.number().int(),
  error: callError.nullable(),
  result_summary: z.string().nullable(),
  result_ref: z.string().nullable(),
});

const earlierCalls = z.object({
  count: z.number().int(),
  applied: z.number().int().describe('How many of them were destructive and took effect.'),
  not_applied: z.number().int(),
  refused: z.number().int(),
  in_doubt: z.number().int(),
});

// Tokens and cost of model requests, added up.

export const usage = z.object({
  input_tokens: z.number(),
  output_tokens: z.number(),
  cache_read_tokens: z.number(),
  cache_creation_tokens: z.number().optional().describe('Absent in older turns.'),
  cost_usd: z.number(),
  unpriced_tokens: z
    .number()
    .optional()
    .describe('Tokens of models whose price is not known: what they cost is not in `cost_usd`. Absent: none.'),
});
export type TurnUsage = z.infer<typeof usage>;

// Which model took a step, and which did not.

export const passedModel = z.object({
  model: z.string(),
  reason: z
    .string()
    .describe('Type of its last failure, such as `model.overloaded`; `down`: it had failed a moment ago, and was not asked.'),
  attempts: z.number().int(),
});

const fallback = z.object({
  step: z.number().int(),
  model: z.string().describe('Who took the step.'),
  passed: z.array(passedModel).describe('The models before it in the chain of the agent.'),
});

const ignoredSignal = z.object({ at: z.string(), signal: z.string(), identity: z.string(), reason: z.string() });

const storeId = z.string().optional();
const ofAnotherTurn = z.object({
  turn_id: z.string().describe('The turn whose call it is: what a signed decision is signed for.'),
  workflow_id: z.string(),
  first_execution_run_id: z.string(),
  store_id: storeId.describe('As of its turn.'),
  agent: z.string(),
  head: z.string().nullable(),
});
const surfacedCall = ofAnotherTurn
  .extend({ call: callView })
  .describe('A call of a sub-agent that waits: it can be decided here, or in its own turn.');

const subTurnView = z.object({
  call_id: z.string(),
  turn_id: z.string(),
  workflow_id: z.string(),
  agent: z.string(),
  state: z.enum(TURN_STATES),
  head: z.string().nullable(),
  usage: usage.describe("Its own, and that of its sub-agents; it is part of the parent's."),
  waiting: z.array(surfacedCall).describe('What waits for a person in it, and below it.'),
});

export const modelWait = z.object({
  model: z.string().describe('Its name in the app.'),
  why: z
    .enum(WAIT_REASONS)
    .describe(
      'What is missing: requests or tokens of this minute, a running request that ends, the end of a pause of the vendor, or (`failure`) the next try after no model of the chain has answered.',
    ),
  before: z.number().int().min(0).describe('Requests that will be served first.'),
  text: z.string().describe('The same in words.'),
});

export const turnView = z.object({
  turn_id: z.string(),
  workflow_id: z.string(),
  run_id: z.string(),
  agent: z.string(),
  session_id: z.string().nullable(),
  requester: z.string(),
  trace_id: z.string(),
  state: z.enum(TURN_STATES),
  store_id: storeId.describe(
    'Id of the store that the turn is bound to: a signed decision names it. Absent before the first step ended, and in older turns.',
  ),
  head: z.string().nullable().describe("The transcript's last block, 64 hex; null before the first step ended."),
  step: z.number().int(),
  text: z.string().describe('The answer so far; the final one when the turn has ended.'),
  result: jsonObject
    .optional()
    .describe('The data that the agent gives, by its result schema. Absent: it gives none, or the turn has not ended with it.'),
  reason: z.string().nullable().describe('Why a turn failed, hit a limit or was cancelled, and what to do.'),
  usage,
  calls: z.array(callView),
  earlier_calls: earlierCalls
    .optional()
    .describe(
      'Calls before those, for which the view of a long turn has no more room; the transcript has them all. Absent: none.',
    ),
  pending: z.array(z.string()).describe('Digests of the calls that wait for a person: its own and its sub-agents’.'),
  ignored_signals: z.object({ count: z.number().int(), last: z.array(ignoredSignal) }),
  steered_by: z
    .array(z.string())
    .optional()
    .describe('Who, besides the requester, has steered it: they count as requesters of every later call. Absent: nobody.'),
  sub_turns: z
    .array(subTurnView)
    .optional()
    .describe('The turns of its sub-agents, in the order in which they began. Absent: none.'),
  parent: z
    .object({ turn_id: z.string(), workflow_id: z.string(), call_id: z.string() })
    .optional()
    .describe("Of a sub-agent's turn: the turn and the call that it answers."),
  context_full: z
    .boolean()
    .optional()
    .describe(
      'The conversation comes near the model’s context window: it is compacted before the next step. Absent: it does not.',
    ),
  fallbacks: z
    .array(fallback)
    .optional()
    .describe('The last steps that another model than the first of the agent took; the transcript has all. Absent: none.'),
  waits_for: modelWait
    .optional()
    .describe(
      'The turn waits for room within the limits of its model, or for a next try, as of its last look. Absent: it does not.',
    ),
  sleep: z
    .object({ call_id: z.string(), until: z.string(), reason: z.string().describe('In the words of the model.') })
    .optional()
    .describe('A call of `wait_until` waits: the one that lasts longest. Absent: none does.'),
  frozen: z
    .string()
    .optional()
    .describe('A call of the turn waits for the end of this freeze, as of its last look. Absent: none does.'),
  started_at: z.string(),
  ended_at: z.string().nullable(),
  ui_url: z.string().nullable(),
});

/** A turn of one call, with its envelope once it has ended. */
export const directCallView = turnView.extend({ envelope: envelope.nullable() });

/** A call that waits for a person. */
export const waitingCall = callView.extend({
  digest: z.string().describe('64 hex.'),
  of: ofAnotherTurn.optional().describe('Of a sub-agent’s call: the turn that it waits in. Absent: in this turn itself.'),
});

export type DecisionView = z.infer<typeof decisionView>;
export type ApprovalView = z.infer<typeof approvalView>;
export type CallView = z.infer<typeof callView>;
export type EarlierCalls = z.infer<typeof earlierCalls>;
export type IgnoredSignal = z.infer<typeof ignoredSignal>;
export type FallbackView = z.infer<typeof fallback>;
export type SurfacedCall = z.infer<typeof surfacedCall>;
export type SubTurnView = z.infer<typeof subTurnView>;
export type TurnView = z.infer<typeof turnView>;
export type DirectCallView = z.infer<typeof directCallView>;
export type WaitingCall = z.infer<typeof waitingCall>;

// The state of a call right after a decision.

export const decidedCall = z.object({
  digest: z.string().describe('The whole digest.'),
  state: z.enum(CALL_STATES),
  approvals: z.number().int().describe('How many have approved, of `quorum`.'),
  quorum: z.number().int(),
});
export type DecidedCall = z.infer<typeof decidedCall>;

// Turns in lists: as Temporal lists them, and with the calls in them that wait for a person.

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

export const question = waitingCall.extend({ card: card.describe('To be shown to the person who decides.') });

/** A turn as `GET /v1/turns/:id` shows it. */
export const shownTurn = turnView.extend({
  envelope: envelope
    .nullable()
    .optional()
    .describe('Of a direct call: what it has given. Null: it has not ended. Absent: a turn.'),
  waiting: z
    .array(question)
    .describe('The calls that wait for a person, with their cards. A call whose card cannot be read is only in `pending`.'),
});
export type ShownTurn = z.infer<typeof shownTurn>;

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
