/**
 * What crosses between the turn workflow and its activities. All of it lands in Temporal's history,
 * so it stays small: references, and values of at most 2 KB beside them.
 */
import type { CallError } from './errors';
import type { Json, JsonObject } from './json';
import type { ToolClass } from './tool-class';
import type { Effect } from './turn-view';

/** Inputs and results up to this many bytes of canonical JSON travel inline. */
export const INLINE_BYTES = 2048;

/** Who and where: the same for every activity of a turn. */
export interface TurnContext {
  turn_id: string;
  workflow_id: string;
  /** Stays the same through reset and continue-as-new. */
  first_execution_run_id: string;
  agent: string;
  requester: string;
  session_id: string | null;
  trace_id: string;
}

/** The agent's settings as they were when the turn began; a redeploy does not change them. */
export interface TurnPolicy {
  /** Hash of the permission rules that admission applied. */
  policy_ref: string;
  limits: { steps: number; tokens: number; cost_usd: number; time_ms: number };
  max_parallel: number;
  sibling_abort: boolean;
  approval_expiry_ms: number;
}

/** One call after static admission. */
export interface AdmittedCall {
  /** `<step>.<index>`, both from 1. */
  id: string;
  /** The model's id for the call: untrusted text, kept beside, never a key. */
  tool_use_id: string;
  tool: string;
  /** Empty when the tool is unknown. */
  version: string;
  class: ToolClass;
  verdict: 'rejected' | 'allow' | 'ask';
  /** Why: the rule or class that decided. */
  reason: string;
  error: CallError | null;
  /** "The same input twice": hash over tool, version and input. */
  input_digest: string;
  input_hash: string;
  /** The effective input, when it is small; else null, and `input_ref` has it. */
  input: JsonObject | null;
  /** Part of the admission block that holds the effective input. */
  input_ref: string;
  /** The call digest, when admission is complete; null when `admitCall` gives it. */
  digest: string | null;
  /** Needs the `admitCall` activity before it can run: it has a preview, or a person decides. */
  needs_admit: boolean;
  /** May run beside its neighbours. */
  parallel: boolean;
  idempotent: boolean;
  timeout_ms: number;
}

/** What is passed to run one call. The workflow builds the digest from exactly these fields. */
export interface CallArguments {
  id: string;
  revision: number;
  tool: string;
  version: string;
  class: ToolClass;
  input_hash: string;
  input: JsonObject | null;
  input_ref: string;
  preview_ref: string | null;
  policy_ref: string;
  digest: string;
  /** From 1: a destructive call is dispatched again only after a proven `not_applied`. */
  dispatch: number;
}

/** A person's decision on one exact call, bound to one run. */
export interface Decision {
  decision: 'approve' | 'deny' | 'expired';
  digest: string;
  run_id: string;
  by: string;
  note: string | null;
  /** ISO 8601, workflow time. */
  at: string;
  expires_at: string;
  channel: 'signal' | 'update' | 'timer';
  /** What the sender's client claims to be. */
  identity: string;
  card_ref: string | null;
}

/** How a call ended; what the next step appends and the view shows. */
export interface CallOutcome {
  call_id: string;
  tool_use_id: string;
  tool: string;
  digest: string | null;
  state: 'succeeded' | 'failed' | 'rejected' | 'denied' | 'expired' | 'cancelled' | 'in_doubt';
  effect: Effect | null;
  /** Part with the envelope; null when the call never ran (then `error` says why). */
  result_ref: string | null;
  summary: string | null;
  error: CallError | null;
  attempts: number;
  /** The decision, when the call never reached `runCall`: the next step writes it into the transcript. */
  decision: Decision | null;
  /** Advice that the engine adds for the model, e.g. after the same failure twice. */
  note: string | null;
}

export interface TakeStepInput {
  turn: TurnContext;
  step: number;
  at: string;
  /** Head of the transcript; null before the first step of a first turn. */
  head: string | null;
  /** First step only: the user's message. */
  message: string | null;
  /** Results of the step before, in the order of its calls. */
  outcomes: CallOutcome[];
  /** Every destructive call so far was refused: then a turn that ends here ends `refused`. */
  all_refused: boolean;
}

export interface TakeStepOutput {
  head: string;
  policy: TurnPolicy;
  /** `continue`: calls to run, or a paused turn to take up; `end`: the turn is over. */
  next: 'calls' | 'continue' | 'end' | 'cut' | 'refusal';
  stop_reason: string;
  text: string;
  calls: AdmittedCall[];
  /** Working time of the attempt that succeeded, ms: what counts against the time limit (a dead worker does not). */
  took_ms: number;
  usage: { input_tokens: number; output_tokens: number; cache_read_tokens: number; cost_usd: number };
}

export interface AdmitCallInput {
  turn: TurnContext;
  call: Omit<CallArguments, 'digest' | 'dispatch' | 'preview_ref'>;
  reason: string;
  /** Null when no person is asked. */
  expires_at: string | null;
}

export type AdmitCallOutput =
  { ok: true; digest: string; preview_ref: string | null; card: string; card_ref: string } | { ok: false; error: CallError };

export interface RunCallInput {
  turn: TurnContext;
  call: CallArguments;
  at: string;
  /** Destructive calls write into the transcript themselves, after this head. */
  head: string;
  approval: Decision | null;
}

export interface RunCallOutput {
  state: 'succeeded' | 'failed' | 'in_doubt';
  effect: Effect | null;
  result_ref: string;
  summary: string;
  error: CallError | null;
  attempts: number;
  took_ms: number;
  /** New head, for calls that wrote into the transcript; else null. */
  head: string | null;
}

/** After an attempt was lost: what does the effect record say? */
export interface InspectEffectInput {
  turn: TurnContext;
  call: CallArguments;
  at: string;
  head: string;
  /** Why the attempt is thought lost. */
  cause: string;
}

export type InspectEffectOutput = { found: 'nothing_happened'; head: string } | { found: 'outcome'; outcome: RunCallOutput };

export interface SettleEffectInput {
  turn: TurnContext;
  call: CallArguments;
  at: string;
  head: string;
  outcome: 'applied' | 'not_applied';
  by: string;
  note: string | null;
  identity: string;
}

export interface EndTurnInput {
  turn: TurnContext;
  at: string;
  head: string | null;
  outcomes: CallOutcome[];
  state: string;
  reason: string | null;
}

/** The activities, as the workflow sees them. */
export interface Activities {
  takeStep(input: TakeStepInput): Promise<TakeStepOutput>;
  admitCall(input: AdmitCallInput): Promise<AdmitCallOutput>;
  runCall(input: RunCallInput): Promise<RunCallOutput>;
  inspectEffect(input: InspectEffectInput): Promise<InspectEffectOutput>;
  settleEffect(input: SettleEffectInput): Promise<RunCallOutput>;
  endTurn(input: EndTurnInput): Promise<{ head: string | null }>;
}

/** The workflow's argument. */
export interface TurnInput {
  turn_id: string;
  agent: string;
  message: string;
  requester: string;
  session_id: string | null;
  trace_id: string;
  /** Head that the turn continues from: a session's, or a fork's. */
  parent_head: string | null;
  /** Set by continue-as-new only. */
  resume?: Json;
}
