/**
 * The rules for a decision: finds its question, says why it does not count, and applies it to the question. Pure, so that each
 * rule is tested without a server: the time, and whether a question is stale, are parameters.
 */
import { decisionFault, samePerson, type Decision, type DecisionSource, type Settlement } from '../../shared/approval/approval';
import type { DecisionFields, DecisionKind } from '../../shared/approval/decision';
import { optional } from '../../shared/json/optional';
import {
  approvalsSoFar,
  type ApprovalAnswer,
  type ApprovalQuestion,
  type Pending,
  type PersonQuestion,
  type Question,
} from './question';
import { missingAnswers } from './room-for-decisions';

/** `at`: when the decision was accepted, if that is recorded. */
export type DecisionOrigin = DecisionSource & { channel: 'signal' | 'update'; at?: string };

/** One decision on one question. */
export interface IncomingDecision {
  pending: Pending;
  kind: DecisionKind;
  fields: DecisionFields;
  from: DecisionOrigin;
  by: string;
  /** Whom a deputy decides for. */
  on_behalf_of?: string;
  attestation: string | null;
}

/** The kind of question that each decision answers. */
export const QUESTION_OF: Readonly<Record<DecisionKind, Question['kind']>> = {
  approve: 'approval',
  deny: 'approval',
  settle: 'doubt',
  answer: 'question',
};

/**
 * The open question that a decision is about, or the reason why there is none.
 * @param call the first characters of the digest
 * @param isStale whether a question was asked before the workflow was reset
 */
export function findQuestion(
  pendings: readonly Pending[],
  kind: DecisionKind,
  call: string,
  isStale: (pending: Pending) => boolean,
): Pending | string {
  const questionKind = QUESTION_OF[kind];
  const matches = pendings.filter(({ question }) => question.kind === questionKind && question.digest.startsWith(call));
  const open = matches.filter(({ answer }) => answer === null);
  if (open.length > 1) return `"call" ${call} fits ${open.length} waiting calls; give more of the digest`;
  if (open[0]) return isStale(open[0]) ? staleReason(call) : open[0];
  if (matches.some(({ answer }) => isWithdrawn(answer as ApprovalAnswer))) return `call ${call} is not asked about any more`;
  if (matches.some(({ answer }) => ['superseded', 'reset'].includes((answer as ApprovalAnswer).how)))
    return `call ${call} was superseded; the call in its stead has another digest`;
  if (matches.length > 0) return `call ${call} is decided already`;
  const other = pendings.find(({ question, answer }) => answer === null && question.digest.startsWith(call))?.question.kind;
  if (other === 'question') return `call ${call} asks a question: send an answer to it`;
  if (questionKind === 'question' && other !== undefined) return `call ${call} asks no question, and an answer decides nothing`;
  return `no call ${call} ${NONE_WAITS[questionKind]}`;
}

const NONE_WAITS: Readonly<Record<Question['kind'], string>> = {
  approval: 'waits for approval',
  doubt: 'is in doubt',
  question: 'waits for an answer',
};

/** Why this decision does not count, or null. */
export function reasonAgainst(
  { pending, kind, by, on_behalf_of, attestation, fields }: IncomingDecision,
  requester: string,
  stale: boolean,
  nowMs: number,
): string | null {
  const { question, answer } = pending;
  const { digest, policy } = question;
  if (stale) return staleReason(digest);
  if (answer !== null) return `call ${digest} is decided already`;
  const makers = [requester, ...question.makers];
  const expires_at = question.kind === 'doubt' ? null : question.expires_at;
  const statements =
    question.kind === 'doubt' ? question.settlements.filter(sameOutcome(fields.outcome)) : approvalsSoFar(question);
  return decisionFault(
    { digest, policy, makers, expires_at, said: statements },
    { kind, by, ...optional({ on_behalf_of }), attested: attestation !== null },
    nowMs,
  );
}

/** Counts a decision that has no fault. A denial, or a complete quorum, answers the question. */
export function countDecision(
  { pending, kind, by, on_behalf_of, attestation, from, fields }: IncomingDecision,
  at: string,
): void {
  const { note, outcome } = fields;
  const signature = attestation === null ? {} : { attestation };
  const { question } = pending;
  if (question.kind === 'doubt') {
    const settlement = { outcome: outcome!, by, note, identity: from.identity, at, ...signature };
    question.settlements = [...question.settlements.filter((earlier) => !samePerson(earlier.by, by)), settlement];
    const agreeing = question.settlements.filter(sameOutcome(outcome));
    if (agreeing.length >= question.policy.quorum) pending.answer = settlement as never;
    return;
  }
  if (question.kind === 'question') {
    const answer = { ...decisionOn(question, 'answer', { by, note, ...from }, at), ...signature, value: fields.value! };
    pending.answer = { how: 'answered', decision: answer } as never;
    return;
  }
  const vote = { by, ...optional({ on_behalf_of }) };
  const decision = {
    ...decisionOn(question, kind === 'approve' ? 'approve' : 'deny', { ...vote, note, ...from }, at),
    ...signature,
  };
  if (kind === 'deny') {
    pending.answer = { how: 'denied', decision } as never;
    return;
  }
  question.approvals.push(decision);
  if (question.approvals.length >= question.policy.quorum) pending.answer = { how: 'approved' } as never;
}

/** How many reserved places of its question the decision uses. A denial and an answer use all: nobody else has to decide after it. */
export function countReservedPlaces({ pending: { question }, kind }: Pick<IncomingDecision, 'pending' | 'kind'>): number {
  return kind === 'deny' || kind === 'answer' ? missingAnswers(question) : 1;
}

/** @param at time of the decision, unless `from` says when it was accepted */
export function decisionOn(
  question: ApprovalQuestion | PersonQuestion,
  kind: Decision['decision'],
  from: Pick<Decision, 'by' | 'on_behalf_of' | 'note' | 'channel' | 'identity' | 'until'> & { at?: string },
  at: string,
): Decision {
  return {
    decision: kind,
    digest: question.digest,
    run_id: question.run_id,
    at,
    expires_at: question.expires_at,
    card_ref: question.card_ref,
    ...from,
  };
}

function staleReason(call: string): string {
  return `call ${call} was asked about before the workflow was reset; it is asked about anew`;
}

function isWithdrawn({ how }: ApprovalAnswer): boolean {
  return how === 'steered' || how === 'stopped';
}

function sameOutcome(outcome: Settlement['outcome'] | null): (settlement: { outcome: Settlement['outcome'] }) => boolean {
  return (settlement) => settlement.outcome === outcome;
}
