/**
 * Inputs and outputs of the activities for one model request, for making room before it, for the end of a turn, and for what a
 * session asks about turns.
 */
import type { JsonObject } from '../json/json';
import type { Envelope } from '../wire/errors';
import type { Message } from '../turn/message';
import type { EndState, TurnUsage } from '../turn/turn-view';
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
  message: Message | null;
  /** First step only: the signed start. Absent: there is none. */
  attestation?: string;
  /** Results of the step before, in the order of its calls. */
  outcomes: CallOutcome[];
  /** Messages that people sent to the turn since then, in order. Absent: none. */
  steers?: Steer[];
  /** Every destructive call so far was refused: a turn that ends now ends as `refused`. */
  all_refused: boolean;
}

export interface TakeStepOutput {
  head: string;
  /**
   * With `next: end`: the head before the end block, for a turn that continues because a person sent a message. Absent in older
   * histories.
   */
  answer_head?: string;
  policy: TurnPolicy;
  /**
   * `calls`: run them; `continue`: resume a paused turn; `full`: make room, and ask the model again; `end`: the turn is over;
   * `cut`: the answer hit its token limit; `refusal`: the model declined.
   */
  next: 'calls' | 'continue' | 'full' | 'end' | 'cut' | 'refusal';
  stop_reason: string;
  text: string;
  calls: AdmittedCall[];
  /**
   * Working time of the attempt that succeeded, ms. Only this counts against the time limit; the time of a dead worker does not.
   */
  took_ms: number;
  usage: StepUsage;
  /** The conversation is near the model's context window: it is compacted before the next step. Absent: it is not near. */
  context_full?: boolean;
  /** The model that took the step. Absent in older histories, and if no model answered. */
  origin?: ModelOrigin;
  /** Models before it in the agent's chain that did not take the step. Absent: none. */
  passed?: PassedModel[];
  /** First step: the store that the turn is bound to. Absent in older histories. */
  store_id?: string;
  /** First step: people named in the conversation before it, besides the requester. Absent: none. */
  said_before?: string[];
}

export interface ModelOrigin {
  /** Name of the provider. */
  provider: string;
  /** The name that the agent gives the model. */
  model: string;
}

/** A model that did not take a step. */
export interface PassedModel {
  model: string;
  /** Type of its last failure; `down`: it was not asked, since it had failed a moment ago. */
  reason: string;
  attempts: number;
}

/** Of one step, or of several. */
export type StepUsage = TurnUsage;

/** Makes room in a conversation, between two steps. */
export interface CompactInput {
  turn: TurnContext;
  at: string;
  head: string;
  /** Results of the step before. They are written first, so that nothing comes between a call and its result. */
  outcomes: CallOutcome[];
}

export interface CompactOutput {
  head: string;
  /** `nothing`: there is nothing left to remove. */
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
  /** A direct call: the output has to hold its envelope. */
  envelope?: boolean;
  /** For a session's turn without a successful step: what its first step would have begun with. Absent: nothing is begun. */
  begin?: TurnBegin;
  /** Digest of the call that gave the turn's result: the output has to hold it. Absent: there is none. */
  result_of?: string;
}

export interface TurnBegin {
  message: Message;
  attestation?: string;
}

export interface EndTurnOutput {
  head: string | null;
  /** The envelope of a direct call's one outcome, as large as history can carry. */
  envelope?: Envelope;
  /** The turn's result: the input of the call that `result_of` named. */
  result?: JsonObject;
}

// What a session asks about turns.

/** Asks for the state of a session's turn. */
export interface LookAtTurnInput {
  turn_id: string;
  /** Null: the turn is of no session. */
  session_id: string | null;
  /** How long to wait for its end, ms. */
  within_ms: number;
  /**
   * First run of the session, and hash of the message: the turn must be of this session run and this message. Absent in older
   * histories.
   */
  of?: TurnOfSession;
}

/** Stored in the turn's memo. */
export interface TurnOfSession {
  session_run: string;
  message_hash: string;
}

/** Records a session; tells whether its id was used before. */
export interface BeginSessionInput {
  session_id: string;
  session_run: string;
}

export interface BeginSessionOutput {
  /** True: no turn of an earlier session can have an id `<session>.<n>`. */
  first: boolean;
}

/** `lost`: no such turn exists, or it is another session's or message's. */
export type LookAtTurnOutput =
  | { state: 'running' }
  | { state: 'lost'; reason: string }
  | {
      state: EndState;
      reason: string | null;
      head: string | null;
      usage: StepUsage;
      context_full: boolean;
      /** ISO 8601. Absent: an older build, or the time is unknown. */
      ended_at?: string;
    };

/** Asks whether a session may begin after this block. */
export interface CheckForkInput {
  session_id: string;
  /** 64 hex. */
  block: string;
  /** Whose turn the block must be of; null: the caller has been checked already. */
  of: string | null;
}

export type CheckForkOutput =
  | { ok: true; agent: string; turn_id: string }
  /** `near`: the nearest earlier block at which a conversation may be cut; null: there is none. */
  | { ok: false; reason: string; near: string | null };
