/** The questions that people are asked, as plain data: the next run takes over the open ones. */
import { cutJson } from '../../shared/json/json';
import type { ApprovalPolicy, Decision, Edit, Settlement } from '../../shared/approval/approval';
import type { Escalation } from '../../shared/approval/policy';

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
  /** Who may approve as well, and from when on. Absent: nobody. */
  escalations?: Escalation[];
}

export interface DoubtQuestion extends QuestionBase {
  kind: 'doubt';
  /** What the tool's probe saw. Absent: nothing, or an older build asked. */
  evidence?: string;
  settlements: Settlement[];
}

/** A question of the model. Its first accepted answer closes it. */
export interface PersonQuestion extends QuestionBase {
  kind: 'question';
  card_ref: string;
  asked_at: string;
  expires_at: string;
}

export type Question = ApprovalQuestion | DoubtQuestion | PersonQuestion;

/** The approvals so far; a question of the model has none, since its first answer closes it. */
export function approvalsSoFar(question: Question): Decision[] {
  return question.kind === 'approval' ? question.approvals : [];
}

/** What people have said so far of an open question. */
export function saidOf(question: Question): (Decision | Settlement)[] {
  return question.kind === 'doubt' ? question.settlements : approvalsSoFar(question);
}

/** `approved`: the card of a call in doubt that its approvers read. It is for showing only, and no run passes it on. */
export type ShownQuestion = Question & { approved?: string };

/**
 * `reset`: the workflow was reset after the question was asked. `steered`: a message to the turn superseded it. `stopped`: the
 * turn is interrupted. `answered`: the model's question has its answer.
 */
export type ApprovalAnswer =
  | { how: 'approved' }
  | { how: 'superseded' }
  | { how: 'reset' }
  | { how: 'steered' }
  | { how: 'stopped' }
  | { how: 'denied' | 'expired' | 'answered'; decision: Decision };

/** A question that was asked, with its state in this run. */
export interface Pending<Q extends Question = Question> {
  question: Q;
  answer: (Q extends DoubtQuestion ? Settlement : ApprovalAnswer) | null;
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
