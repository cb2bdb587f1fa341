/**
 * Tables as in `fact-tables.ts`, for decisions and for what admission was told and answered: where else a fact is, and which rule
 * compares it; or why none does. A new field without an entry does not compile.
 */
import type { Decision, Edit, EditRecord, HoldReason, Settlement } from '../../shared/approval/approval';
import type {
  AdmitCallInput,
  AdmitDirectInput,
  AdmitDirectOutput,
  DecidedCall,
  Denials,
  RenewedPolicy,
} from '../../shared/io/admission';
import type {
  CompleteCallInput,
  CompleteCallOutput,
  ReconcileEffectInput,
  ReconcileEffectOutput,
  SettleEffectInput,
  RunCallInput,
} from '../../shared/io/call';
import type {
  CheckAnswerInput,
  CheckAnswerOutput,
  CheckDecisionInput,
  CheckDecisionOutput,
  NotifyInput,
} from '../../shared/io/people';
import type { Place } from './fact-tables';

/** The argument of `runCall`. */
export const RUN_CALL_INPUT = {
  turn: 'once.compared field by field',
  call: 'once.compared field by field',
  at: 'rule.D1',
  head: 'rule.D1',
  approvals: 'rule.H9',
  untrusted: 'asked.untrusted',
  verdict: 'rule.D4',
  validation_ms: 'use.validation_ms',
  options: 'turn.options',
  waited: 'once.of the workflow’s timers: a replay compares it',
} as const satisfies Record<keyof RunCallInput, Place>;

/** A decision, compared with the signal or update that gave it; `DECISION` compares its copies with one another. */
export const DECISION_SOURCE = {
  decision: 'rule.H9',
  digest: 'rule.H9',
  run_id: 'rule.T9',
  by: 'rule.H9',
  on_behalf_of: 'rule.H9',
  note: 'rule.H9',
  at: 'rule.H6',
  expires_at: 'rule.H6',
  card_ref: 'card.digest',
  channel: 'rule.H9',
  identity: 'rule.H9',
  until: 'rule.H9',
  attestation: 'rule.H9',
  given_in: 'rule.H9',
  value: 'rule.H9',
} as const satisfies Record<keyof Decision, Place>;

export const EDIT = {
  input: 'rule.H9',
  by: 'rule.H9',
  note: 'rule.H9',
  identity: 'rule.H9',
  attestation: 'rule.H9',
} as const satisfies Record<keyof Edit, Place>;

export const RECORDED_EDIT = {
  decision: 'rule.H9',
  digest: 'rule.H9',
  run_id: 'rule.D5',
  at: 'rule.B6',
  by: 'rule.H9',
  note: 'rule.H9',
  identity: 'rule.H9',
  attestation: 'rule.H9',
} as const satisfies Record<keyof EditRecord, Place>;

export const SETTLEMENT = {
  outcome: 'rule.H9',
  by: 'rule.H9',
  note: 'rule.H9',
  identity: 'rule.H9',
  at: 'rule.H6',
  attestation: 'rule.H9',
} as const satisfies Record<keyof Settlement, Place>;

export const SETTLE_EFFECT_INPUT = {
  ...SETTLEMENT,
  turn: 'once.compared field by field',
  call: 'once.compared field by field',
  head: 'rule.D1',
  settlements: 'effect.settlements',
} as const satisfies Record<keyof SettleEffectInput, Place>;

export const CHECK_DECISION_INPUT = {
  turn: 'once.compared field by field',
  decision: 'rule.H9',
  outcome: 'rule.H9',
  digest: 'rule.H9',
  tool: 'call.tool',
  attestation: 'rule.H9',
  input_hash: 'rule.H9',
  note_hash: 'rule.H9',
  roles: 'once.the workflow’s own; B9 checks the roles of those whose approval counted',
  at: 'rule.D1',
} as const satisfies Record<keyof CheckDecisionInput, Place>;

export const CHECK_ANSWER_INPUT = {
  turn: 'once.compared field by field',
  digest: 'rule.H9',
  tool: 'call.tool',
  value: 'rule.H9',
  by: 'rule.H9',
  note: 'rule.H9',
  attestation: 'rule.H9',
  at: 'rule.D1',
} as const satisfies Record<keyof CheckAnswerInput, Place>;

export const CHECK_ANSWER_OUTPUT = {
  ok: 'rule.H9',
  principal: 'rule.H9',
} as const satisfies Record<keyof (CheckAnswerOutput & { ok: true }), Place>;

export const CHECK_DECISION_OUTPUT = {
  ok: 'rule.H9',
  principal: 'rule.H9',
  on_behalf_of: 'rule.H9',
} as const satisfies Record<keyof (CheckDecisionOutput & { ok: true }), Place>;

export const ADMIT_CALL_INPUT = {
  turn: 'once.compared field by field',
  call: 'once.compared field by field',
  reason: 'rule.D4',
  expires_at: 'rule.D4',
  undecided: 'rule.D4',
  changes: 'rule.D4',
  held: 'rule.D4',
  edit: 'rule.H9',
  untrusted: 'rule.D4',
  head: 'rule.D1',
  cards: 'once.only how much of a card that does not fit is shown depends on it',
  approval: 'rule.D4',
} as const satisfies Record<keyof AdmitCallInput, Place>;

/** The number of denials by the classifier, as admission receives it. */
export const DENIALS = {
  in_a_row: 'once.a row ends when a person approves, too, at a moment that the workflow alone knows; it is not more than in_all',
  in_all: 'rule.D4',
} as const satisfies Record<keyof Denials, Place>;

export const HOLD = {
  kind: 'rule.D4',
  id: 'rule.D4',
  text: 'rule.D4',
} as const satisfies Record<keyof HoldReason, Place>;

export const RENEWED_POLICY = {
  policy_ref: 'call.policy_ref',
  approval: 'rule.D4',
} as const satisfies Record<keyof RenewedPolicy, Place>;

/** The verdict on a call that was undecided, or that a person edited; the part that it names has it too. */
export const DECIDED_CALL = {
  verdict: 'rule.D2',
  reason: 'rule.D2',
  input: 'rule.D2',
  input_digest: 'rule.D2',
  input_ref: 'call.input_ref',
  input_hash: 'call.input_hash',
  changes: 'rule.D2',
  by_classifier: 'once.the part has it in words only',
} as const satisfies Record<keyof DecidedCall, Place>;

export const ADMIT_DIRECT_INPUT = {
  turn: 'once.compared field by field',
  at: 'rule.D1',
  tool: 'turn.tool',
  input_json: 'turn.input_json',
  attestation: 'turn.attestation',
} as const satisfies Record<keyof AdmitDirectInput, Place>;

export const ADMIT_DIRECT_OUTPUT = {
  head: 'rule.T7',
  agent: 'turn.agent',
  policy: 'once.compared field by field',
  call: 'once.compared field by field',
  store_id: 'turn.store_id',
} as const satisfies Record<keyof AdmitDirectOutput, Place>;

export const NOTIFY_INPUT = {
  turn: 'once.compared field by field',
  kind: 'once.nothing else says why people were told',
  call_id: 'call.call_id',
  tool: 'call.tool',
  digest: 'names.call',
  head: 'rule.D1',
  card_ref: 'names.card',
  card: 'once.of a call in doubt nothing else has a card',
  expires_at: 'rule.D4',
  at: 'rule.D1',
} as const satisfies Record<keyof NotifyInput, Place>;

export const RECONCILE_EFFECT_INPUT = {
  turn: 'once.compared field by field',
  call: 'once.compared field by field',
  at: 'rule.D1',
  head: 'rule.D1',
  not_applied_from: 'once.reckoned by the workflow, and no bound but for the next',
} as const satisfies Record<keyof ReconcileEffectInput, Place>;

export const RECONCILE_EFFECT_OUTPUT = {
  evidence: 'once.another probe may have written down first what it had found',
  not_applied_from: 'rule.D6',
  settled: 'once.compared field by field',
} as const satisfies Record<keyof ReconcileEffectOutput, Place>;

export const COMPLETE_CALL_INPUT = {
  turn: 'once.compared field by field',
  call: 'once.compared field by field',
  at: 'rule.D1',
  head: 'rule.D1',
  later: 'once.of the tool’s code',
  cause: 'once.of the workflow’s timers, or of an update: a replay compares it',
} as const satisfies Record<keyof CompleteCallInput, Place>;

export const COMPLETE_CALL_OUTPUT = {
  settled: 'once.compared field by field',
  reason: 'once.of the tool’s code',
} as const satisfies Record<keyof CompleteCallOutput, Place>;
