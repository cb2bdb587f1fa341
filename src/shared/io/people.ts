/** Inputs and outputs of the activities that check what people sent, notify people, and store their decisions and cards. */
import type { Json, PackedJson } from '../json/json';
import type { TurnContext } from './turn';

/** Asks whether a signed decision is genuine and for exactly this question. */
export interface CheckDecisionInput {
  turn: TurnContext;
  /** `steer` is not a decision on a call: its `digest` is that of the text, and it has no tool. */
  decision: 'approve' | 'deny' | 'settle' | 'edit' | 'steer' | 'answer';
  outcome: 'applied' | 'not_applied' | null;
  digest: string;
  tool: string;
  attestation: string;
  /** Hash of the edited input, or of the answer. */
  input_hash: string | null;
  /** `noteHash` of the note; absent: there is no note. */
  note_hash?: string | null;
  /** The roles that the workflow takes at this time, by entry and escalations of the question; empty: any. Absent: it has neither. */
  roles?: string[];
  at: string;
}

export type CheckDecisionOutput =
  | {
      ok: true;
      principal: string;
      /** For whom, if the principal decides as a deputy. */
      on_behalf_of?: string;
    }
  | { ok: false; reason: string };

/** Asks whether an answer fits its question, and who gave it. */
export interface CheckAnswerInput {
  turn: TurnContext;
  /** Of the question. */
  digest: string;
  tool: string;
  value: Json;
  /** The name that the sender gave; empty if the signed answer names the person. */
  by: string;
  /** Null: there is none. */
  note: string | null;
  /** Null: it is unsigned. */
  attestation: string | null;
  at: string;
}

export type CheckAnswerOutput = { ok: true; principal: string } | { ok: false; reason: string };

/** Closes a question: nobody decides on this call any more, and earlier decisions on it do not count. */
export interface CloseQuestionInput {
  turn: TurnContext;
  digest: string;
}

/** Waits until a tool is not frozen for a turn. */
export interface WaitForUnfreezeInput {
  turn: TurnContext;
  tool: string;
}

/** Asks whether a message may go to the model, and who sent it. */
export interface CheckSteerInput {
  turn: TurnContext;
  /** Of the text; see `steerDigest`. */
  digest: string;
  /** Null: it is unsigned. */
  attestation: string | null;
  at: string;
}

/** `principal` is null for an unsigned message. */
export type CheckSteerOutput = { ok: true; principal: string | null } | { ok: false; reason: string };

/** Notifies people who have to decide, or to decide soon. */
export interface NotifyInput {
  turn: TurnContext;
  kind: 'approval' | 'reminder' | 'escalated' | 'in_doubt' | 'question';
  call_id: string;
  tool: string;
  digest: string;
  /** The transcript so far: the message says in whose words the call came about. Absent: there is none, or an older build. */
  head?: string;
  /** Part with the card; null for a call in doubt. */
  card_ref: string | null;
  /** The card of a call in doubt. */
  card?: string;
  expires_at: string | null;
  at: string;
}

/** Stores what people decided on calls that have not run: the next run receives it by reference. */
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
  /** Of the call on the card. Absent in older histories. */
  digest?: string;
  /** The run that shows it now. */
  run_id: string;
}
