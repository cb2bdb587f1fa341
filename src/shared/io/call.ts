/** Inputs and outputs of the activities that run one call and find out how its effect ended. */
import type { ApprovalPolicy, Decision, Earlier, HoldReason, Settlement } from '../approval/approval';
import type { Safety } from '../turn/calls';
import type { CallError } from '../wire/errors';
import type { JsonObject } from '../json/json';
import type { ToolClass } from '../turn/tool-class';
import type { Effect } from '../turn/turn-view';
import type { WaitEnd } from '../turn/turn-states';
import type { CallOptions, TurnContext } from './turn';

/** One call after static admission. */
export interface AdmittedCall {
  /** `<step>.<index>`, both from 1. */
  id: string;
  /** The model's id for the call: untrusted text, which is stored, and never used as a key. */
  tool_use_id: string;
  tool: string;
  /** Empty when the tool is unknown. */
  version: string;
  class: ToolClass;
  verdict: 'rejected' | 'allow' | 'ask';
  /** The rule or class that decided. */
  reason: string;
  error: CallError | null;
  /** Hash over tool, version and input, to find "the same input twice". */
  input_digest: string;
  input_hash: string;
  /** The effective input if it is small; else null, and `input_ref` names it. */
  input: JsonObject | null;
  /** Part of the admission block that holds the effective input. */
  input_ref: string;
  /** The call digest, when admission is complete; null: `admitCall` returns it. */
  digest: string | null;
  /** The call needs the `admitCall` activity before it can run: it has a preview, or a person decides. */
  needs_admit: boolean;
  /** Whether it may run beside its neighbours, or only beside those that touch something else. */
  parallel: Safety;
  idempotent: boolean;
  timeout_ms: number;
  /**
   * A hook with I/O or the classifier has not run yet: `admitCall` gives the verdict. Absent in older histories, like all fields
   * below.
   */
  undecided?: boolean;
  /** Hash of the rules under which the call was admitted. */
  policy_ref?: string;
  /** The model had read untrusted text before it asked for the call. */
  untrusted?: boolean;
  /** The hooks that changed the input, and why; the admission's part holds what they changed. */
  changes?: ChangedBy[];
  /** Duration of admission, ms. */
  validation_ms?: number;
  /** The policy of an approval and of a settlement. Absent if nobody can ever be asked. */
  approval?: ApprovalPolicy;
  /** How long the tool's probe is asked before a person is, ms, if the outcome is unknown. Absent: there is no probe. */
  reconcile_ms?: number;
  /** The agent that answers the call, in a turn of its own. Absent: a function answers it. */
  sub_agent?: string;
  /** Its input is the result of the turn. Absent: it is not. */
  gives_result?: true;
  /** A person answers the call: how long the question waits, ms. Absent: nobody is asked for a result. */
  question_ms?: number;
  /** The call is a wait: how long it may last, ms. Absent: it is none. */
  longest_wait_ms?: number;
  /**
   * For a digest of version 2: the agent's definition, and the hash of the tool's configured target (null: the tool declares none).
   * Absent in version 1.
   */
  definition_ref?: string;
  target_hash?: string | null;
}

/** A hook, or a person, that changed a call's input. */
export interface ChangedBy {
  /** The hook's name; empty if a person changed the input. */
  hook: string;
  why: string;
  /** The person. */
  by?: string;
}

/** The arguments to run one call. The workflow builds the digest from exactly these fields. */
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
  /** Absent in version 1 of the digest, like `target_hash`. */
  definition_ref?: string;
  /** Null: the tool declares no target. */
  target_hash?: string | null;
  digest: string;
  /** From 1: a destructive call is dispatched again only after a proven `not_applied`. */
  dispatch: number;
  /** Decisions and edits on its earlier revisions; the last 20. Absent: none. */
  earlier?: Earlier[];
  /**
   * Who changed the call or steered the turn before it, besides the requester. Absent: nobody. The worker that runs the call does
   * not use this list, but the one in the part `preview_ref`.
   */
  makers?: string[];
}

/** How a call ended. The next step appends it to the transcript, and the view shows it. */
export interface CallOutcome {
  call_id: string;
  tool_use_id: string;
  tool: string;
  digest: string | null;
  state: 'succeeded' | 'failed' | 'rejected' | 'denied' | 'expired' | 'superseded' | 'cancelled' | 'in_doubt';
  effect: Effect | null;
  /** Part with the envelope; null when the call never ran (then `error` says why). */
  result_ref: string | null;
  summary: string | null;
  error: CallError | null;
  attempts: number;
  /** The decision that refused the call. The next step writes it into the transcript, like `approvals` and `earlier`. */
  decision: Decision | null;
  /** Approvals that no dispatch has written into the transcript. Absent: none. */
  approvals?: Decision[];
  /** The same for decisions and edits on earlier revisions. */
  earlier?: Earlier[];
  /** For the record of decisions. Absent in older histories, like the next two fields. */
  version?: string;
  class?: ToolClass;
  revision?: number;
  /** Advice of the engine for the model, e.g. after the same failure twice. */
  note: string | null;
  /** The sub-agent's turn that answered the call, for the transcript. Absent: there was none. */
  sub_turn?: SubTurnRef;
  /** As of the admitted call. */
  gives_result?: true;
}

/** A sub-agent's turn and the head of its chain at that time: enough to walk and to prove it. */
export interface SubTurnRef {
  turn_id: string;
  workflow_id: string;
  first_execution_run_id: string;
  head: string | null;
}

// One run of a call.

export interface RunCallInput {
  turn: TurnContext;
  call: CallArguments;
  at: string;
  /** Destructive calls write into the transcript themselves, after this head. */
  head: string;
  /** In the order in which they were given; empty: nobody was asked. */
  approvals: Decision[];
  /** A fact that the rules used at admission: untrusted text had been read. Absent in older histories. */
  untrusted?: boolean;
  /** The verdict of admission. */
  verdict?: 'allow' | 'ask';
  /** Duration of admission, ms, for the envelope; absent in old histories. */
  validation_ms?: number;
  /** Absent: the defaults. */
  options?: CallOptions;
  /** How the wait ended that the call asked for. Absent: it asked for none. */
  waited?: WaitEnd;
}

/** The approvals of a recorded argument. Histories from before a call could have several hold one, or null. */
export function approvalsOf({ approvals, ...older }: RunCallInput & { approval?: Decision | null }): Decision[] {
  return approvals ?? (older.approval ? [older.approval] : []);
}

export interface RunCallOutput {
  /** `pending`: the tool has returned, and the call ends later; see `later`. */
  state: 'succeeded' | 'failed' | 'in_doubt' | 'pending';
  effect: Effect | null;
  result_ref: string;
  summary: string;
  error: CallError | null;
  attempts: number;
  took_ms: number;
  /** New head if the call wrote into the transcript; else null. */
  head: string | null;
  /**
   * A destructive call was put off before its dispatch: the workflow asks again after this time, ms. Absent: it was not put off.
   */
  busy_ms?: number;
  /** The call was not dispatched: a person has to look again, for these reasons. Absent: nothing held the call. */
  held?: HoldReason[];
  /** How a pending call ends. Absent: it has ended. */
  later?: LaterCompletion;
}

/** What is known of a call whose tool has handed its end on to somebody else (`ctx.later`). */
export type LaterCompletion = {
  /** SHA-256 of the token with which the call is completed, hex. The token itself is in no record. */
  token_hash: string;
  /** ISO 8601: from then on no completion counts. */
  expires_at: string;
  /** How long after the run the tool's `poll` is asked for the first time, ms; each pause is twice the one before. Absent: never. */
  poll_ms?: number;
};

/** Why a pending call is looked at: somebody completed it, its `poll` is due, its time is over, or nobody waits for it any more. */
export type CompletionCause =
  | { by: 'completion'; completion_ref: string }
  | { by: 'poll' }
  | { by: 'expiry' }
  | { by: 'cancellation' };

export interface CompleteCallInput {
  turn: TurnContext;
  call: CallArguments;
  at: string;
  head: string;
  later: LaterCompletion;
  cause: CompletionCause;
}

/** `settled`: the outcome; null: the call stays pending. */
export interface CompleteCallOutput {
  settled: RunCallOutput | null;
  /** Why a completion was not taken, or a poll was of no use; null otherwise. */
  reason: string | null;
}

// How an effect ended.

/** Asks what the effect record says after an attempt was lost. */
export interface InspectEffectInput {
  turn: TurnContext;
  call: CallArguments;
  at: string;
  head: string;
  /** Why the attempt is assumed to be lost. */
  cause: string;
}

export type InspectEffectOutput = { found: 'nothing_happened'; head: string } | { found: 'outcome'; outcome: RunCallOutput };

/** The last settlement; `settlements` has all of them. */
export interface SettleEffectInput extends Settlement {
  turn: TurnContext;
  call: CallArguments;
  at: string;
  head: string;
  /** Absent in older histories: there is only this one. */
  settlements?: Settlement[];
}

/** Asks the tool's probe how a call in doubt ended. */
export interface ReconcileEffectInput {
  turn: TurnContext;
  call: CallArguments;
  at: string;
  head: string;
  /** ISO 8601. Before this time the lost attempt may still be alive, so a probe's `not_applied` does not count yet. */
  not_applied_from: string;
}

/** `evidence`: what the probe saw, for the card. `settled`: the outcome, once it is known. */
export interface ReconcileEffectOutput {
  evidence: string;
  /** ISO 8601. The probe has found no effect, but an attempt may still act: from this time on, the finding counts. */
  not_applied_from?: string;
  settled: RunCallOutput | null;
}
