/**
 * Tables of the facts that more than one record states, for the verifier to compare. Each table has all fields of its type: a new
 * field without an entry does not compile, so its author must say where else the fact is, or why it is nowhere else.
 * docs/bundle-format.md, *Meaning: what stands twice*.
 */
import type { Decision } from '../../shared/approval/approval';
import type { AdmittedCall, CallArguments, CallOutcome, RunCallOutput } from '../../shared/io/call';
import type { AdmitCallOutput } from '../../shared/io/admission';
import type { StepUsage, TakeStepOutput, LookAtTurnInput, LookAtTurnOutput } from '../../shared/io/step';
import type { TurnContext } from '../../shared/io/turn';
import type { ApprovalView, CallView, IgnoredSignal, TurnView } from '../../shared/turn/turn-view';
import type { EffectRecord } from '../../record/effect';

/**
 * The subjects of facts. A call is named by its digest (a `dispatch` also by its number), other subjects by a ref or an id.
 * `block`: a block that dispatches or ends; `effect`: a block with the outcome of a call; `step`: the admission block;
 * `said`: decisions of people that the store keeps.
 */
export const SUBJECTS = [
  'turn',
  'run',
  'asked',
  'use',
  'step',
  'card',
  'call',
  'dispatch',
  'result',
  'block',
  'effect',
  'said',
] as const;
export type Subject = (typeof SUBJECTS)[number];

/**
 * `subject.fact`: it is compared with each other source of that fact of that subject. `names.subject`: it names the subject of the
 * other fields. `rule.…`: a rule of its own checks it. `once.…`: it is nowhere else, or is not compared, for this reason.
 */
export type Place = `${Subject}.${string}` | `names.${Subject}` | `rule.${string}` | `once.${string}`;
export type Table = Readonly<Record<string, Place>>;

/** The context of a turn: the same in the argument of all activities, in the start block, and in the view. */
export const TURN_CONTEXT = {
  turn_id: 'turn.turn_id',
  workflow_id: 'turn.workflow_id',
  first_execution_run_id: 'turn.first_execution_run_id',
  agent: 'turn.agent',
  requester: 'turn.requester',
  session_id: 'turn.session_id',
  trace_id: 'turn.trace_id',
  store_id: 'turn.store_id',
  parent: 'turn.parent',
} as const satisfies Record<keyof TurnContext, Place>;

/** The result of a step; its admission block has it too. */
export const TAKE_STEP_OUTPUT = {
  head: 'names.step',
  answer_head: 'names.step',
  policy: 'once.compared field by field',
  next: 'rule.D2',
  stop_reason: 'step.stop_reason',
  text: 'step.text',
  calls: 'rule.B5',
  took_ms: 'once.measured',
  usage: 'once.compared field by field',
  context_full: 'rule.D1',
  origin: 'step.origin',
  passed: 'step.passed',
  store_id: 'turn.store_id',
  said_before: 'rule.D1',
} as const satisfies Record<keyof TakeStepOutput, Place>;

export const STEP_USAGE = {
  input_tokens: 'step.input_tokens',
  output_tokens: 'step.output_tokens',
  cache_read_tokens: 'step.cache_read_tokens',
  cache_creation_tokens: 'step.cache_creation_tokens',
  cost_usd: 'rule.D1',
  unpriced_tokens: 'rule.D1',
} as const satisfies Record<keyof StepUsage, Place>;

/** A call that the model proposed, in its step's result; the part of the admission block has it too. */
export const ADMITTED_CALL = {
  id: 'asked.call_id',
  tool_use_id: 'asked.tool_use_id',
  tool: 'asked.tool',
  version: 'asked.version',
  class: 'asked.class',
  verdict: 'asked.verdict',
  reason: 'asked.reason',
  error: 'asked.error',
  input_digest: 'rule.D2',
  input_hash: 'asked.input_hash',
  input: 'rule.D2',
  input_ref: 'names.asked',
  digest: 'rule.D2',
  needs_admit: 'rule.D2',
  parallel: 'once.of the tool’s code',
  idempotent: 'rule.D2',
  timeout_ms: 'use.timeout_ms',
  undecided: 'asked.undecided',
  policy_ref: 'asked.policy_ref',
  untrusted: 'asked.untrusted',
  changes: 'rule.D2',
  validation_ms: 'use.validation_ms',
  approval: 'rule.D4',
  reconcile_ms: 'once.of the tool’s code',
  sub_agent: 'rule.D2',
  question_ms: 'rule.D4',
  longest_wait_ms: 'once.of the tool’s code',
  definition_ref: 'use.definition_ref',
  target_hash: 'asked.target_hash',
  gives_result: 'rule.D2',
} as const satisfies Record<keyof AdmittedCall, Place>;

/** The question to people: the card. */
export const ADMIT_CALL_OUTPUT = {
  ok: 'once.the others are there',
  digest: 'card.digest',
  preview_ref: 'call.preview_ref',
  card: 'card.text',
  card_ref: 'names.card',
  run_id: 'rule.D3',
  effect: 'once.of a dispatch before a reset, whose record may say more since',
  decided: 'rule.D4',
  renewed: 'rule.D4',
  target_hash: 'call.target_hash',
  escalations: 'rule.D4',
} as const satisfies Record<keyof (AdmitCallOutput & { ok: true }), Place>;

/** A call in the arguments of activities that admit, run, inspect or settle it. Admission gets no digest, but computes it. */
export const CALL_ARGUMENTS = {
  id: 'call.call_id',
  revision: 'call.revision',
  tool: 'call.tool',
  version: 'call.version',
  class: 'call.class',
  input_hash: 'call.input_hash',
  input: 'rule.D4',
  input_ref: 'call.input_ref',
  preview_ref: 'call.preview_ref',
  policy_ref: 'call.policy_ref',
  definition_ref: 'rule.H3',
  target_hash: 'call.target_hash',
  digest: 'names.call',
  dispatch: 'rule.D4',
  earlier: 'rule.D5',
  makers: 'card.makers',
} as const satisfies Record<keyof CallArguments, Place>;

/**
 * The outcome of a call, as an activity reports it. Until a probe or a person has settled the call, `state` follows from `effect`,
 * and a dispatch is one attempt.
 */
export const RUN_CALL_OUTPUT = {
  state: 'result.state',
  effect: 'result.effect',
  result_ref: 'names.result',
  summary: 'result.summary',
  error: 'result.error',
  attempts: 'rule.D6',
  took_ms: 'once.measured: of the activity, and not of the tool',
  head: 'names.effect',
  busy_ms: 'once.nothing else says how long it was put off',
  held: 'rule.D4',
  later: 'once.of the tool’s code',
} as const satisfies Record<keyof RunCallOutput, Place>;

/**
 * The same, as the next step receives it. For a stopped call only the workflow knows `effect`, `attempts` and whether it had begun;
 * if the whole turn was cancelled, only the tool results for the model repeat them.
 */
export const CALL_OUTCOME = {
  call_id: 'call.call_id',
  tool_use_id: 'use.tool_use_id',
  tool: 'call.tool',
  digest: 'names.call',
  state: 'result.state',
  effect: 'result.effect',
  result_ref: 'names.result',
  summary: 'result.summary',
  error: 'result.error',
  attempts: 'rule.D6',
  decision: 'rule.D5',
  approvals: 'rule.D5',
  earlier: 'rule.D5',
  version: 'call.version',
  class: 'call.class',
  revision: 'call.revision',
  note: 'rule.D8',
  sub_turn: 'rule.D6',
  gives_result: 'rule.D2',
} as const satisfies Record<keyof CallOutcome, Place>;

/** The same, as the turn's own result shows it. */
export const CALL_VIEW = {
  id: 'call.call_id',
  revision: 'call.revision',
  tool: 'call.tool',
  version: 'call.version',
  class: 'call.class',
  digest: 'names.call',
  state: 'result.state',
  idempotency_key: 'call.key',
  approval: 'once.compared field by field',
  effect: 'result.effect',
  attempts: 'rule.D6',
  error: 'result.error',
  result_summary: 'result.summary',
  result_ref: 'names.result',
  pending_until: 'once.of the tool’s code',
} as const satisfies Record<keyof CallView, Place>;

/** A person's decision, as activities receive it; a decision block has the same fields, its subject, and nothing else. */
export const DECISION = {
  decision: 'rule.D5',
  digest: 'rule.D5',
  run_id: 'rule.D5',
  by: 'rule.D5',
  on_behalf_of: 'rule.D5',
  note: 'rule.D5',
  at: 'rule.D5',
  expires_at: 'rule.D5',
  card_ref: 'rule.D5',
  channel: 'rule.D5',
  identity: 'rule.D5',
  until: 'rule.D5',
  attestation: 'rule.D5',
  given_in: 'rule.D5',
  value: 'rule.D5',
} as const satisfies Record<keyof Decision, Place>;

export const APPROVAL_VIEW = {
  required: 'rule.D5',
  by: 'rule.D5',
  decision: 'rule.D5',
  note: 'rule.D5',
  expires_at: 'rule.D5',
  quorum: 'rule.D5',
  channel: 'rule.D5',
  decisions: 'rule.D5',
  entry: 'rule.D5',
} as const satisfies Record<keyof ApprovalView, Place>;

/** A signal that changed nothing. */
export const IGNORED_SIGNAL = {
  at: 'rule.D1',
  signal: 'rule.D1',
  identity: 'rule.D1',
  reason: 'once.a signal has no answer: only the workflow knows why it changed nothing',
} as const satisfies Record<keyof IgnoredSignal, Place>;

/** The turn's result. */
export const TURN_VIEW = {
  turn_id: 'turn.turn_id',
  workflow_id: 'turn.workflow_id',
  run_id: 'run.run_id',
  agent: 'turn.agent',
  session_id: 'turn.session_id',
  requester: 'turn.requester',
  trace_id: 'turn.trace_id',
  store_id: 'turn.store_id',
  state: 'block.state',
  head: 'rule.D1',
  step: 'rule.D1',
  text: 'rule.D1',
  result: 'rule.D6',
  reason: 'block.reason',
  usage: 'rule.D1',
  calls: 'once.each is compared, field by field',
  pending: 'rule.D1',
  ignored_signals: 'rule.D1',
  steered_by: 'rule.D1',
  sub_turns: 'once.compared field by field',
  parent: 'turn.answers',
  context_full: 'rule.D1',
  earlier_calls: 'rule.D6',
  fallbacks: 'once.shortened: each step’s result and its admission are compared, which have the same',
  started_at: 'rule.D1',
  ended_at: 'rule.D1',
  waits_for: 'once.a step that waits is known to clients only, who read it from Temporal',
  frozen: 'once.a call that waits is known to clients only, who read it from Temporal',
  sleep: 'once.a turn that has ended waits no more',
  ui_url: 'once.a link',
} as const satisfies Record<keyof TurnView, Place>;

/** What a session asks about its turn. */
export const LOOK_AT_TURN_INPUT = {
  turn_id: 'rule.H8',
  session_id: 'turn.session_id',
  within_ms: 'once.the workflow’s own',
  of: 'rule.H8',
} as const satisfies Record<keyof LookAtTurnInput, Place>;

type FoundTurn = Extract<LookAtTurnOutput, { head: unknown }>;

/** The end of a turn, as its session found it; the turn's result has it too. */
export const LOOK_AT_TURN_OUTPUT = {
  state: 'turn.state',
  reason: 'turn.reason',
  head: 'rule.H8',
  usage: 'turn.usage',
  context_full: 'turn.context_full',
  ended_at: 'turn.ended_at',
} as const satisfies Record<keyof FoundTurn, Place>;

/** The store's record of an effect. */
export const EFFECT_RECORD = {
  v: 'rule.T2',
  idempotency_key: 'call.key',
  turn_id: 'turn.turn_id',
  digest: 'names.call',
  dispatch: 'block.dispatch',
  state: 'effect.effect',
  tool: 'call.tool',
  run_id: 'rule.T2',
  attempt: 'once.of the activity that made the claim; history has the last attempt only',
  claimed_at: 'rule.T2',
  updated_at: 'rule.T2',
  act: 'call.act',
  head: 'names.block',
  result_ref: 'effect.result_ref',
  result_head: 'names.effect',
  deadline: 'once.the worker’s clock',
  later: 'once.of the tool’s code',
} as const satisfies Record<keyof EffectRecord, Place>;

/** The subject of a call's block. The block's entry in the trail is made of it. */
export const BLOCK_SUBJECT = {
  turn_id: 'turn.turn_id',
  workflow_id: 'turn.workflow_id',
  agent: 'turn.agent',
  requester: 'turn.requester',
  call_id: 'call.call_id',
  revision: 'call.revision',
  tool: 'call.tool',
  version: 'call.version',
  class: 'call.class',
} as const satisfies Table;

/**
 * A dispatch block. Its definition is that of the worker that runs the call, and may be nowhere else: it must have the agent (D1),
 * the policy and the class of the call.
 */
export const DISPATCH_BODY = {
  call_id: 'call.call_id',
  tool: 'call.tool',
  version: 'call.version',
  digest: 'names.call',
  dispatch: 'block.dispatch',
  idempotency_key: 'call.key',
  input_ref: 'call.input_ref',
  preview_ref: 'call.preview_ref',
  input_hash: 'call.input_hash',
  policy_ref: 'call.policy_ref',
  definition_ref: 'rule.B10',
  verdict: 'dispatch.verdict',
  revision: 'call.revision',
  approval: 'rule.B10',
} as const satisfies Table;
