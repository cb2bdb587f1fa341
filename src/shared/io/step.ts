/** One model request, what makes room before it, and the turn's end. */
import type { Envelope } from '../wire/errors';
import type { TurnUsage, TurnState } from '../turn/turn-view';
import type { Steer } from '../approval/decision';
import type { AdmittedCall, CallOutcome } from './call';
import type { TurnContext, TurnPolicy } from './turn';

export interface TakeStepInput {
  turn: TurnContext;
  step: number;
  at: string;
  /** Head of the transcript; null before the first step of a first turn. */
  head: string | null;
  /** First step only: the user's message. */
  message: string | null;
  /** First step only: the signed start. Absent: there is none. */
  attestation?: string;
  /** Results of the step before, in the order of its calls. */
  outcomes: CallOutcome[];
  /** What people have said to the turn since, in order. Absent: nothing. */
  steers?: Steer[];
  /** Every destructive call so far was refused: then a turn that ends here ends `refused`. */
  all_refused: boolean;
}

export interface TakeStepOutput {
  head: string;
  /** At the end: the head without the end, for a turn that goes on because somebody has said something. Absent in older histories. */
  answer_head?: string;
  policy: TurnPolicy;
  /** `calls`: they are to be run; `continue`: a paused turn is to be taken up; `full`: room is to be made, and the model asked again; `end`: the turn is over. */
  next: 'calls' | 'continue' | 'full' | 'end' | 'cut' | 'refusal';
  stop_reason: string;
  text: string;
  calls: AdmittedCall[];
  /** Working time of the attempt that succeeded, ms: what counts against the time limit (a dead worker does not). */
  took_ms: number;
  usage: StepUsage;
  /** The conversation comes near the model's context window: it is compacted before the next step. Absent: it does not. */
  context_full?: boolean;
  /** First step: the store that the turn is bound to from now on. Absent in older histories. */
  store_id?: string;
  /** First step: who has said something in the conversation before, besides the requester. Absent: nobody. */
  said_before?: string[];
}

/** Of one step, or of several. */
export type StepUsage = TurnUsage;

/** Makes room in a conversation, between two steps. */
export interface CompactInput {
  turn: TurnContext;
  at: string;
  head: string;
  /** Results of the step before: written first, so that nothing comes between a call and its result. */
  outcomes: CallOutcome[];
}

export interface CompactOutput {
  head: string;
  /** `nothing`: there is nothing left that could be taken out. */
  did: 'cleared' | 'summarized' | 'nothing';
  usage: StepUsage;
  took_ms: number;
}

export interface EndTurnInput {
  turn: TurnContext;
  at: string;
  head: string | null;
  outcomes: CallOutcome[];
  state: string;
  reason: string | null;
  /** A direct call: its envelope is wanted. */
  envelope?: boolean;
  /** A session's turn of which no step has succeeded: what its first step would have begun with. Absent: nothing is begun. */
  begin?: TurnBegin;
}

export interface TurnBegin {
  message: string;
  attestation?: string;
}

export interface EndTurnOutput {
  head: string | null;
  /** Of a direct call's one outcome, as large as history can carry. */
  envelope?: Envelope;
}

// What a session asks about turns.

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
