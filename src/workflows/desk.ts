/**
 * The desk: questions that only a person can answer. A question is open from the moment that it is
 * shown until it is answered; an answer to a question that is not open changes nothing.
 */
import { condition, workflowInfo } from '@temporalio/workflow';
import type { Decision } from '../shared/activity-io';
import type { DecisionKind } from '../shared/decision';
import type { DecisionFields } from '../shared/turn-view';
import { now } from './now';

export interface Settlement {
  outcome: 'applied' | 'not_applied';
  by: string;
  note: string | null;
  identity: string;
}

interface ApprovalQuestion {
  kind: 'approval';
  digest: string;
  tool: string;
  card: string;
  cardRef: string;
  expiresAt: string;
  answer: Decision | null;
}

interface DoubtQuestion {
  kind: 'doubt';
  digest: string;
  tool: string;
  card: string;
  answer: Settlement | null;
}

export type Question = ApprovalQuestion | DoubtQuestion;

export class Desk {
  /** In the order of asking, answered ones included: a late decision is told that it is late. */
  private readonly questions: Question[] = [];
  /** Tools in the search attribute as last written. */
  shownTools: string[] = [];

  /** `onChange` runs whenever a question opens or is answered. */
  constructor(private readonly onChange: () => void) {}

  open(): Question[] {
    return this.questions.filter((question) => question.answer === null);
  }

  /** Asks for approval and waits for the decision, at most until it expires. */
  async askApproval(question: Pick<ApprovalQuestion, 'digest' | 'tool' | 'card' | 'cardRef' | 'expiresAt'>): Promise<Decision> {
    const asked: ApprovalQuestion = { kind: 'approval', answer: null, ...question };
    this.questions.push(asked);
    this.onChange();
    const wait = Math.max(1, Date.parse(question.expiresAt) - Date.now());
    try {
      await condition(() => asked.answer !== null, wait);
    } catch (error) {
      this.questions.splice(this.questions.indexOf(asked), 1);
      throw error;
    }
    if (asked.answer === null) {
      asked.answer = decision(asked, 'expired', { by: '', note: null, channel: 'timer', identity: '' });
      this.onChange();
    }
    return asked.answer;
  }

  /** Asks what became of a dispatched call, and waits as long as it takes. */
  async askSettlement(question: Pick<DoubtQuestion, 'digest' | 'tool' | 'card'>): Promise<Settlement> {
    const asked: DoubtQuestion = { kind: 'doubt', answer: null, ...question };
    this.questions.push(asked);
    this.onChange();
    await condition(() => asked.answer !== null);
    return asked.answer!;
  }

  /** Takes a decision. Answers why it was ignored, or null when it was accepted. */
  decide(kind: DecisionKind, fields: DecisionFields, from: { channel: 'signal' | 'update'; identity: string }): string | null {
    const wanted = kind === 'settle' ? 'doubt' : 'approval';
    const matches = this.questions.filter((question) => question.kind === wanted && question.digest.startsWith(fields.call));
    const open = matches.filter((question) => question.answer === null);
    if (open.length > 1) return `"call" ${fields.call} fits ${open.length} waiting calls; give more of the digest`;
    const question = open[0];
    if (!question) {
      return matches.length > 0
        ? `call ${fields.call} is decided already`
        : `no call ${fields.call} ${wanted === 'doubt' ? 'is in doubt' : 'waits for approval'}`;
    }
    if (fields.input !== undefined) return 'this build does not take an edited input; deny with a note that says what to change';
    const note = fields.note ?? null;
    if (question.kind === 'doubt') {
      question.answer = { outcome: fields.outcome!, by: fields.by, note, identity: from.identity };
    } else {
      if (Date.now() > Date.parse(question.expiresAt)) return `call ${fields.call} expired at ${question.expiresAt}`;
      question.answer = decision(question, kind === 'approve' ? 'approve' : 'deny', { by: fields.by, note, ...from });
    }
    this.onChange();
    return null;
  }
}

function decision(
  question: ApprovalQuestion,
  kind: Decision['decision'],
  from: Pick<Decision, 'by' | 'note' | 'channel' | 'identity'>,
): Decision {
  return {
    decision: kind,
    digest: question.digest,
    run_id: workflowInfo().runId,
    at: now(),
    expires_at: question.expiresAt,
    card_ref: question.cardRef,
    ...from,
  };
}
