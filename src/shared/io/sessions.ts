/** What a session asks about turns. */
import type { TurnState } from '../turn/turn-view';
import type { StepUsage } from './step';

/** How does this turn of a session stand? */
export interface LookAtTurnInput {
  turn_id: string;
  session_id: string;
  /** How long its end is waited for, ms. */
  within_ms: number;
  /** First run of the session, and hash of the message: the turn must be this one's and of that. Absent in older histories. */
  of?: TurnOfSession;
}

/** Stands in the turn's memo. */
export interface TurnOfSession {
  session_run: string;
  message_hash: string;
}

/** Has a session of this id been there before? */
export interface BeginSessionInput {
  session_id: string;
  session_run: string;
}

export interface BeginSessionOutput {
  /** No turn of another session can have the id `<session>.<n>`. */
  first: boolean;
}

/** `lost`: there is no such turn, or it is another's. */
export type LookAtTurnOutput =
  | { state: 'running' }
  | { state: 'lost'; reason: string }
  | {
      state: Exclude<TurnState, 'running' | 'awaiting_approval' | 'in_doubt'>;
      reason: string | null;
      head: string | null;
      usage: StepUsage;
      context_full: boolean;
      /** ISO 8601. Absent: an older build, or nobody can tell. */
      ended_at?: string;
    };

/** May a session begin after this block? */
export interface CheckForkInput {
  session_id: string;
  /** 64 hex. */
  block: string;
  /** Whose turn it must be of; null: whoever asks has been checked already. */
  of: string | null;
}

export type CheckForkOutput =
  | { ok: true; agent: string; turn_id: string }
  /** `near`: the nearest block before it at which a conversation may be cut; null: there is none. */
  | { ok: false; reason: string; near: string | null };
