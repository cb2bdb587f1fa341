/** The questions that people are asked, as plain data: the next run takes over the open ones. */
import { cutJson } from '../../shared/json/json';
import type { ApprovalPolicy, Decision, Edit, Settlement } from '../../shared/approval/approval';

interface QuestionBase {
  call_id: string;
  digest: string;
  tool: string;
  /** Markdown. */
  card: string;
  policy: ApprovalPolicy;
  /** The run that asks. */
  run_id: string;
  /** People who changed the call or steered the turn, besides the turn's requester. */
  makers: string[];
  /** Why decisions were ignored, for readers of the card; the last five. */
  remarks: string[];
  /** People have been notified, if the worker has a notifier. A later run does not notify them again. */
  told?: boolean;
}

export interface ApprovalQuestion extends QuestionBase {
  kind: 'approval';
  card_ref: string;
  expires_at: string;
  approvals: Decision[];
}

export interface DoubtQuestion extends QuestionBase {
  kind: 'doubt';
  /** What the tool's probe saw. Absent: nothing, or an older build asked. */
  evidence?: string;
  settlements: Settlement[];
}

export type Question = ApprovalQuestion | DoubtQuestion;

/**
 * `reset`: the workflow was reset after the question was asked. `steered`: a message to the turn superseded it. `stopped`: the
 * turn is interrupted.
 */
export type ApprovalAnswer =
  | { how: 'approved' }
  | { how: 'superseded' }
  | { how: 'reset' }
  | { how: 'steered' }
  | { how: 'stopped' }
  | { how: 'denied' | 'expired'; decision: Decision };

/** A question that was asked, with its state in this run. */
export interface Pending<Q extends Question = Question> {
  question: Q;
  answer: (Q extends ApprovalQuestion ? ApprovalAnswer : Settlement) | null;
  /** `resetSeed()` when the question was asked: a reset makes it stale. Null: it never becomes stale. */
  seed: string | null;
  /** The caller that asked has received the answer. */
  taken: boolean;
  /** Admits another input. Returns why not, or a function that selects it: of several admitted inputs, one is used. */
  edit?: (edit: Edit) => Promise<string | (() => void)>;
}

const REMARKS = 5;
/** Longest remark, bytes of JSON. */
const REMARK_BYTES = 200;

export function remark(question: Question, text: string): void {
  question.remarks = [...question.remarks.slice(1 - REMARKS), cutJson(text, REMARK_BYTES)];
}
