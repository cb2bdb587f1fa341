/** Works out the answer that recorded decisions give under another approver policy. */
import { decisionFault, nameOfVote, type Vote } from '../../shared/approval/approval';
import { optional } from '../../shared/json/optional';
import { escalationsFrom, rolesAt, type ApprovalPolicy, type Escalation } from '../../shared/approval/policy';
import { list, text } from '../../record/fields';
import type { CallCase, DecisionCase } from '../case-file/types';
import type { CallDecision } from './types';

/**
 * Counts the recorded decisions again. If they do not decide the call, the answer is `open`: the record does not tell who else
 * would have been asked, or their answer. The verifier checks the signatures, not this function.
 */
export function answerUnder(policy: ApprovalPolicy, call: CallCase, requester: string): Omit<CallDecision, 'outcome'> {
  const makers = [requester, ...(call.question?.makers ?? [])];
  const askedMs = Date.parse(call.question?.askedAt ?? '');
  const escalations = Number.isNaN(askedMs) ? [] : escalationsFrom(policy, askedMs);
  const approvals: Vote[] = [];
  const faults: string[] = [];
  for (const entry of [...call.decisions].sort(byTime)) {
    const { decision, by, onBehalfOf } = entry;
    if (decision === 'expired') return { answer: 'expired', reason: describeApprovals(approvals, policy, faults) };
    const question = { digest: call.digest ?? '', policy, makers, expires_at: null, said: approvals };
    const fault = faultOf(entry, question, escalations);
    if (fault !== null) {
      faults.push(fault);
      continue;
    }
    if (decision === 'deny') return { answer: 'denied', reason: `${by} denied it` };
    if (decision === 'answer') return { answer: 'answered', reason: `${by} answered it` };
    if (decision === 'edit') return { answer: 'edited', reason: `${by} changed the input` };
    if (decision === 'approve') approvals.push({ by, ...optional({ on_behalf_of: onBehalfOf }) });
    if (approvals.length >= policy.quorum) return { answer: 'approved', reason: `${names(approvals)} approved it` };
  }
  return { answer: 'open', reason: describeApprovals(approvals, policy, faults) };
}

/** Why a decision would not have counted, or null. */
function faultOf(
  { decision, by, onBehalfOf, claims, at }: DecisionCase,
  question: Parameters<typeof decisionFault>[0],
  escalations: readonly Escalation[],
): string | null {
  const kind = decision === 'deny' || decision === 'answer' ? decision : 'approve';
  const roles = rolesAt(question.policy.roles, escalations, Date.parse(at ?? ''));
  if (claims !== null && roles.length > 0 && !list(claims.roles).some((role) => roles.includes(text(role))))
    return `${onBehalfOf ?? by} holds none of the roles ${roles.join(', ')}`;
  // An edit approves nothing, so its author may be a maker, or have decided before.
  const counts = decision === 'edit' ? { ...question, makers: [], said: [] } : question;
  return decisionFault(counts, { kind, by, ...optional({ on_behalf_of: onBehalfOf }), attested: claims !== null }, 0);
}

function describeApprovals(approvals: readonly Vote[], { quorum }: ApprovalPolicy, faults: string[]): string {
  const people = approvals.length === 0 ? '' : `: ${names(approvals)}`;
  return [`${approvals.length} of ${quorum} had approved it${people}`, ...faults].join('; ');
}

function names(approvals: readonly Vote[]): string {
  return approvals.map(nameOfVote).join(' and ');
}

function byTime(a: DecisionCase, b: DecisionCase): number {
  return Date.parse(a.at ?? '') - Date.parse(b.at ?? '') || 0;
}
