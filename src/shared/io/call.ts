/** A call, from admission to its outcome. */
import type { ApprovalPolicy, Decision, Earlier, HoldReason, Settlement } from '../approval/approval';
import type { Safety } from '../turn/calls';
import type { CallError } from '../wire/errors';
import type { JsonObject } from '../json/json';
import type { ToolClass } from '../turn/tool-class';
import type { Effect } from '../turn/turn-view';
import type { CallOptions, TurnContext } from './turn';

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
  /** May run beside its neighbours, or beside those that touch something else. */
  parallel: Safety;
  idempotent: boolean;
  timeout_ms: number;
  /** A hook with I/O or the classifier has still to speak: `admitCall` gives the verdict. Absent in older histories, like all below. */
  undecided?: boolean;
  /** Hash of the rules that this call was admitted under. */
  policy_ref?: string;
  /** What outsiders wrote had been read in this conversation before this step. */
  untrusted?: boolean;
  /** Which hooks changed the input, and why; what they changed stands in the admission's part. */
  changes?: ChangedBy[];
  /** What admission took, ms. */
  validation_ms?: number;
  /** What an approval takes, and a settlement. Absent where nobody can come to be asked. */
  approval?: ApprovalPolicy;
  /** How long its tool's probe is asked before a person is, ms, should its outcome be unknown. Absent: there is no probe. */
  reconcile_ms?: number;
  /** The agent that answers it, in a turn of its own. Absent: a function does. */
  sub_agent?: string;
  /** For a digest of version 2: what the agent is, and hash of the tool's configured target (null: it declares none). Absent in version 1. */
  definition_ref?: string;
  target_hash?: string | null;
}

/** A hook, or a person, that changed a call's input. */
export interface ChangedBy {
  /** The hook's name; empty where a person did it. */
  hook: string;
  why: string;
  /** The person. */
  by?: string;
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
  /** Absent in version 1 of the digest, like the next. */
  definition_ref?: string;
  /** Null: the tool declares no target. */
  target_hash?: string | null;
  digest: string;
  /** From 1: a destructive call is dispatched again only after a proven `not_applied`. */
  dispatch: number;
  /** What was said on its earlier revisions; the last 20. Absent: nothing. */
  earlier?: Earlier[];
  /** Who has had a hand in it, besides the requester: changed it, or steered the turn before. Absent: nobody. What counts where it runs stands behind `preview_ref`. */
  makers?: string[];
}

/** How a call ended; what the next step appends and the view shows. */
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
  /** The decision that refused the call: the next step writes it into the transcript, with what follows. */
  decision: Decision | null;
  /** Approvals that no dispatch has written there. Absent: none. */
  approvals?: Decision[];
  /** The same of what was said on earlier revisions. */
  earlier?: Earlier[];
  /** For the record of decisions. Absent in older histories, like the next two. */
  version?: string;
  class?: ToolClass;
  revision?: number;
  /** Advice that the engine adds for the model, e.g. after the same failure twice. */
  note: string | null;
  /** The turn that a sub-agent has answered it in, for the transcript. Absent: there was none. */
  sub_turn?: SubTurnRef;
}

/** A sub-agent's turn, and how far its chain had come: from here it can be walked and proved. */
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
  /** In the order in which they were given; empty where nobody was asked. */
  approvals: Decision[];
  /** Facts that the rules were asked about at admission. Absent in older histories. */
  untrusted?: boolean;
  /** What admission decided. */
  verdict?: 'allow' | 'ask';
  /** What admission took, ms, for the envelope; absent in old histories. */
  validation_ms?: number;
  /** Absent: all as by default. */
  options?: CallOptions;
}

/** Of a recorded argument: histories from before there could be several have one, or null. */
export function approvalsOf({ approvals, ...older }: RunCallInput & { approval?: Decision | null }): Decision[] {
  return approvals ?? (older.approval ? [older.approval] : []);
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
  /** Destructive, put off before it was dispatched: ask again after so long, ms. Absent: it was not. */
  busy_ms?: number;
  /** Not dispatched: a person has to look again, for these reasons. Absent: nothing held it. */
  held?: HoldReason[];
}

// What became of an effect.

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

/** The last of those who say so, and all of them. */
export interface SettleEffectInput extends Settlement {
  turn: TurnContext;
  call: CallArguments;
  at: string;
  head: string;
  /** Absent in older histories: it is the one. */
  settlements?: Settlement[];
}

/** Asks the tool's own probe what became of a call in doubt. */
export interface ReconcileEffectInput {
  turn: TurnContext;
  call: CallArguments;
  at: string;
  head: string;
  /** ISO 8601. Before it the lost attempt may still be alive: that nothing has happened is not believed yet. */
  not_applied_from: string;
}

/** `evidence` is what the probe saw, for the card; `settled` is there once the outcome is known. */
export interface ReconcileEffectOutput {
  evidence: string;
  /** ISO 8601. The probe has found nothing, and an attempt may still act: from then on it is believed. */
  not_applied_from?: string;
  settled: RunCallOutput | null;
}
