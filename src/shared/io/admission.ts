/** Inputs and outputs of the activities that admit a call: `admitCall` and `admitDirect`. */
import type { Edit, HoldReason } from '../approval/approval';
import type { ApprovalPolicy, Escalation } from '../approval/policy';
import type { CallError } from '../wire/errors';
import type { JsonObject } from '../json/json';
import type { AdmittedCall, CallArguments, ChangedBy } from './call';
import type { TurnContext, TurnPolicy } from './turn';

export interface AdmitCallInput {
  turn: TurnContext;
  call: Omit<CallArguments, 'digest' | 'dispatch' | 'preview_ref'>;
  reason: string;
  /** Null when no person is asked, or when none can be. */
  expires_at: string | null;
  /** The verdict is still open. Absent: static admission gave it. */
  undecided?: { untrusted: boolean; denials: Denials };
  /** Changes that static admission's hooks made to the input, for the card. */
  changes?: ChangedBy[];
  /** Why the call is asked about again: for the card and the digest. */
  held?: HoldReason[];
  /** An approver's replacement input: admitted like any other input, and always asked about. */
  edit?: Edit;
  /** The conversation had read untrusted text before the call was asked for. Absent: it had not, or no person can be asked. */
  untrusted?: boolean;
  /** The transcript so far: the card says in whose words the call came about. Absent: no person can be asked, or an older build. */
  head?: string;
  /** How many calls the step has, if several: their cards share the room of the Web UI's page. */
  cards?: number;
  /** The policy of the approval, for the card. */
  approval?: ApprovalPolicy;
}

/** How often the classifier has denied calls in this turn. */
export interface Denials {
  in_a_row: number;
  in_all: number;
}

export type AdmitCallOutput =
  | {
      ok: true;
      digest: string;
      preview_ref: string | null;
      card: string;
      card_ref: string;
      /** The run that asks: a decision counts only in this run. Absent in older histories. */
      run_id?: string;
      /** What a run before a reset did with exactly this call. Absent: nothing. */
      effect?: 'applied' | 'in_doubt';
      /** For a call that was undecided: the verdict, and the input after the hooks. */
      decided?: DecidedCall;
      /** The rules have changed since the call was admitted: the policy under which it is asked about from now on. */
      renewed?: RenewedPolicy;
      /** Hash of the tool's target, as in the digest; null: the tool declares none. Absent in version 1. */
      target_hash?: string | null;
      /** Who may approve as well, and from when on. Absent: nobody. */
      escalations?: Escalation[];
    }
  | { ok: false; error: CallError; by_classifier?: boolean };

export interface RenewedPolicy {
  policy_ref: string;
  approval: ApprovalPolicy;
}

export interface DecidedCall {
  verdict: 'allow' | 'ask';
  reason: string;
  input: JsonObject | null;
  /** Of the present input; absent in older histories. */
  input_digest?: string;
  /** Part with the effective input and how it was changed. */
  input_ref: string;
  input_hash: string;
  changes: ChangedBy[];
  /** The classifier approved. */
  by_classifier: boolean;
}

/** A direct call, which no model asked for: it is admitted like any other call. */
export interface AdmitDirectInput {
  /** `agent` is empty if the caller named none. */
  turn: TurnContext;
  at: string;
  tool: string;
  input_json: string;
  /** The signed start. Absent: it is unsigned. */
  attestation?: string;
}

export interface AdmitDirectOutput {
  head: string;
  /** The agent whose rules apply; empty: none was found, and the call is rejected. */
  agent: string;
  policy: TurnPolicy | null;
  call: AdmittedCall;
  /** The store that the call is bound to. Absent in older histories. */
  store_id?: string;
}
