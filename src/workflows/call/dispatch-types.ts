/** What the files of dispatch hand to each other. */
import type { CallArguments, CallOptions, CallOutcome, TurnBegin, TurnContext } from '../../shared/io/activities';
import type { Decision, HoldReason } from '../../shared/approval/approval';
import type { Arrivals } from '../sandbox/signals';
import type { ApprovalQuestions } from '../approvals/approval-questions';
import type { Question } from '../approvals/question';
import type { TurnData } from '../turn/state';
import type { Forwarding } from '../sub-agents/sub-turns';
import type { InFlight } from '../turn/in-flight';

export interface Dispatch {
  turn: TurnContext;
  data: TurnData;
  questions: ApprovalQuestions;
  inFlight: InFlight;
  arrivals: Arrivals;
  /** Decisions that are for a turn below. */
  forwarding: Forwarding;
  /** Whoever else wants to know that a question is open, here or in a turn below; never throws, never waits. */
  onQuestion(question: QuestionNotice): void;
  /** Of a direct call. */
  options?: CallOptions;
  /** Of a session's turn: what stands in the transcript even if no step succeeds. */
  begin?: TurnBegin;
}

/** A question, to whoever only has to know that there is one. */
export type QuestionNotice = Pick<Question, 'kind' | 'run_id' | 'digest'>;

export interface CallRun {
  outcome: CallOutcome;
  /** Working time, ms. */
  took_ms: number;
}

/** Not dispatched: a person has to look again. */
export interface HeldBack {
  held: HoldReason[];
  took_ms: number;
}

export type Admission = { ok: true; args: CallArguments; approvals: Decision[] } | { ok: false; outcome: CallOutcome };
