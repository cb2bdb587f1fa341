/** What a person is asked, as plain data: an open question goes on in another run. */
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
  /** Who has had a hand in the call, besides the turn's requester. */
  makers: string[];
  /** What was ignored, for whoever looks at the card; the last five. */
  remarks: string[];
  /** People have been told of it, where somebody is there to tell: another run does not tell them again. */
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
  settlements: Settlement[];
}

export type Question = ApprovalQuestion | DoubtQuestion;

/** `reset`: the workflow was reset since it was asked. `steered`: somebody has said something instead. `stopped`: the turn is to end. */
export type ApprovalAnswer =
  | { how: 'approved' }
  | { how: 'superseded' }
  | { how: 'reset' }
  | { how: 'steered' }
  | { how: 'stopped' }
  | { how: 'denied' | 'expired'; decision: Decision };

/** A question that was asked, with what is not data. */
export interface Pending<Q extends Question = Question> {
  question: Q;
  answer: (Q extends ApprovalQuestion ? ApprovalAnswer : Settlement) | null;
  /** `resetSeed()` when it was asked: a reset makes the question stale. Null: it never becomes stale. */
  seed: string | null;
  /** Whoever asked has taken the answer. */
  taken: boolean;
  /** Admits another input; answers why not, or what takes it: of several that are admitted, one is taken. */
  edit?: (edit: Edit) => Promise<string | (() => void)>;
}

const REMARKS = 5;
/** Of each, bytes of JSON. */
const REMARK_BYTES = 200;

export function remark(question: Question, text: string): void {
  question.remarks = [...question.remarks.slice(1 - REMARKS), cutJson(text, REMARK_BYTES)];
}
