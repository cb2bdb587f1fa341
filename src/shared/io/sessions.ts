/** What a session asks about turns. */
import type { TurnState } from '../turn-view';
import type { StepUsage } from './step';

/** How does this turn of a session stand? */
export interface LookAtTurnInput {
  turn_id: string;
  session_id: string;
  /** How long its end is waited for, ms. */
  within_ms: number;
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
