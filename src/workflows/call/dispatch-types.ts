/** Types that the files of call dispatch share: the context, the admission and the result of a run. */
import type { CallArguments, CallOptions, CallOutcome, TurnBegin, TurnContext } from '../../shared/io/activities';
import type { Decision, HoldReason } from '../../shared/approval/approval';
import type { Arrivals, Completions, InFlight } from '../sandbox/signals';
import type { ApprovalQuestions } from '../approvals/approval-questions';
import type { Question } from '../approvals/question';
import type { TurnData } from '../turn/state';
import type { Forwarding } from '../sub-agents/sub-turns';

export interface Dispatch {
  turn: TurnContext;
  data: TurnData;
  questions: ApprovalQuestions;
  inFlight: InFlight;
  arrivals: Arrivals;
  completions: Completions;
  /** Passes decisions on questions of sub-agents' turns to them. */
  forwarding: Forwarding;
  /** Called when a question opens, in this turn or in a sub-agent's; never throws, never waits. */
  onQuestion(question: QuestionNotice): void;
  /** Only for a direct call. */
  options?: CallOptions;
  /** Only for a session's turn: the transcript gets it even if no step succeeds. */
  begin?: TurnBegin;
}

/** What a listener learns of a question. */
export type QuestionNotice = Pick<Question, 'kind' | 'run_id' | 'digest'> & { card_ref?: string };

export interface CallRun {
  outcome: CallOutcome;
  /** Working time, ms. */
  took_ms: number;
}

/** The call was not dispatched: a person has to decide again. */
export interface NeedsDecision {
  held: HoldReason[];
  took_ms: number;
}

export type Admission = { ok: true; args: CallArguments; approvals: Decision[] } | { ok: false; outcome: CallOutcome };
