/** What people said, and what they are told. */
import type { PackedJson } from '../json/json';
import type { TurnContext } from './turn';

/** Is this signed decision genuine, and for this very question? */
export interface CheckDecisionInput {
  turn: TurnContext;
  /** `steer` is no decision on a call: its `digest` is that of the text, and it has no tool. */
  decision: 'approve' | 'deny' | 'settle' | 'edit' | 'steer';
  outcome: 'applied' | 'not_applied' | null;
  digest: string;
  tool: string;
  attestation: string;
  /** Hash of the edited input. */
  input_hash: string | null;
  /** `noteHash` of the note beside it; absent: there is none. */
  note_hash?: string | null;
  at: string;
}

export type CheckDecisionOutput = { ok: true; principal: string } | { ok: false; reason: string };

/** Nobody decides on this call any more, and what was said on it counts for nothing. */
export interface CloseQuestionInput {
  turn: TurnContext;
  digest: string;
}

/** May this message go to the model, and whose is it? */
export interface CheckSteerInput {
  turn: TurnContext;
  /** Of the text; see `steerDigest`. */
  digest: string;
  /** Null: a bare one. */
  attestation: string | null;
  at: string;
}

/** `principal` is null for a bare one. */
export type CheckSteerOutput = { ok: true; principal: string | null } | { ok: false; reason: string };

/** Somebody has to decide, or decide soon. */
export interface NotifyInput {
  turn: TurnContext;
  kind: 'approval' | 'reminder' | 'in_doubt';
  call_id: string;
  tool: string;
  digest: string;
  /** Part with the card; null for a call in doubt. */
  card_ref: string | null;
  /** The card of a call in doubt. */
  card?: string;
  expires_at: string | null;
  at: string;
}

/** What people have said on calls that have not run, put into the store: it goes on in another run by reference. */
export interface KeepSaidInput {
  turn: TurnContext;
  said: PackedJson;
}

export interface KeepSaidOutput {
  said_ref: string;
}

export interface ReadSaidInput {
  turn: TurnContext;
  said_ref: string;
}

export interface ReadSaidOutput {
  said: PackedJson;
}

/** A card that was shown in an earlier run of the same turn. */
export interface ReadCardInput {
  turn: TurnContext;
  card_ref: string;
}

export interface ReadCardOutput {
  card: string;
  /** Of the call that it shows. Absent in older histories. */
  digest?: string;
  /** The run that shows it now. */
  run_id: string;
}
