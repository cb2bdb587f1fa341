/** Admission's part with I/O. */
import type { ApprovalPolicy, Edit, HoldReason } from '../approval/approval';
import type { CallError } from '../wire/errors';
import type { JsonObject } from '../json/json';
import type { AdmittedCall, CallArguments, ChangedBy } from './call';
import type { TurnContext, TurnPolicy } from './turn';

export interface AdmitCallInput {
  turn: TurnContext;
  call: Omit<CallArguments, 'digest' | 'dispatch' | 'preview_ref'>;
  reason: string;
  /** Null when no person is asked, or can be. */
  expires_at: string | null;
  /** The verdict is still open; absent when static admission gave it. */
  undecided?: { untrusted: boolean; denials: Denials };
  /** What static admission's hooks made of the input, for the card. */
  changes?: ChangedBy[];
  /** Why the call is asked about again: for the card, and for the digest. */
  held?: HoldReason[];
  /** An approver's other input: admitted like any other, and always asked about. */
  edit?: Edit;
  /** With an edit: what outsiders wrote had been read before the call was asked for. */
  untrusted?: boolean;
  /** What approval takes, for the card. */
  approval?: ApprovalPolicy;
}

/** How often the classifier has denied in this turn. */
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
      /** The run that asks: a decision counts in it only. Absent in older histories. */
      run_id?: string;
      /** What a run before a reset has made of exactly this call. Absent: nothing. */
      effect?: 'applied' | 'in_doubt';
      /** For a call that was undecided: the verdict, and the input as the hooks left it. */
      decided?: DecidedCall;
      /** The rules have changed since the call was admitted: what it is asked under from now on. */
      renewed?: RenewedPolicy;
      /** Hash of the tool's target, as the digest has it; null: it declares none. Absent in version 1. */
      target_hash?: string | null;
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
  /** Of the input as it is now; absent in older histories. */
  input_digest?: string;
  /** Part with the effective input and how it came about. */
  input_ref: string;
  input_hash: string;
  changes: ChangedBy[];
  /** The classifier approved. */
  by_classifier: boolean;
}

/** One call that nobody's model asked for: it is admitted like any other. */
export interface AdmitDirectInput {
  /** `agent` is empty where the caller named none. */
  turn: TurnContext;
  at: string;
  tool: string;
  input_json: string;
  /** The signed start. Absent: there is none. */
  attestation?: string;
}

export interface AdmitDirectOutput {
  head: string;
  /** The agent whose rules apply; empty when none could be found: then the call is rejected. */
  agent: string;
  policy: TurnPolicy | null;
  call: AdmittedCall;
  /** The store that the call is bound to. Absent in older histories. */
  store_id?: string;
}
