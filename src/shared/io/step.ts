/** One model request, what makes room before it, and the turn's end. */
import type { Envelope } from '../wire/envelope';
import type { TurnUsage } from '../turn/turn-view';
import type { Steer } from '../approval/steer';
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
