/** Works out the answer that recorded decisions give under another approver policy. */
import { decisionFault, type ApprovalPolicy } from '../../shared/approval/approval';
import { list, text } from '../../record/fields';
import type { CallCase, DecisionCase } from '../case-file/types';
import type { CallDecision } from './types';

/**
 * Counts the recorded decisions again. If they do not decide the call, the answer is `open`: the record does not tell who else
 * would have been asked, or their answer. The verifier checks the signatures, not this function.
 */
export function answerUnder(policy: ApprovalPolicy, call: CallCase, requester: string): Omit<CallDecision, 'outcome'> {
  const makers = [requester, ...(call.question?.makers ?? [])];
  const said: { by: string }[] = [];
  const faults: string[] = [];
  for (const given of [...call.decisions].sort(byTime)) {
    const { decision, by } = given;
    if (decision === 'expired') return { answer: 'expired', reason: describeApprovals(said, policy, faults) };
    const fault = faultOf(given, { digest: call.digest ?? '', policy, makers, expires_at: null, said });
    if (fault !== null) {
      faults.push(fault);
      continue;
    }
    if (decision === 'deny') return { answer: 'denied', reason: `${by} denied it` };
    if (decision === 'edit') return { answer: 'edited', reason: `${by} changed the input` };
    if (decision === 'approve') said.push({ by });
    if (said.length >= policy.quorum) return { answer: 'approved', reason: `${names(said)} approved it` };
  }
  return { answer: 'open', reason: describeApprovals(said, policy, faults) };
}

/** Why a decision would not have counted, or null. */
function faultOf({ decision, by, claims }: DecisionCase, asked: Parameters<typeof decisionFault>[0]): string | null {
  const kind = decision === 'deny' ? 'deny' : 'approve';
  const { roles } = asked.policy;
  if (claims !== null && roles.length > 0 && !list(claims.roles).some((role) => roles.includes(text(role))))
    return `${by} holds none of the roles ${roles.join(', ')}`;
  // An edit approves nothing, so its author may be a maker, or have decided before.
  const counts = decision === 'edit' ? { ...asked, makers: [], said: [] } : asked;
  return decisionFault(counts, { kind, by, attested: claims !== null }, 0);
}

function describeApprovals(said: { by: string }[], { quorum }: ApprovalPolicy, faults: string[]): string {
  const people = said.length === 0 ? '' : `: ${names(said)}`;
  return [`${said.length} of ${quorum} had approved it${people}`, ...faults].join('; ');
}

function names(said: { by: string }[]): string {
  return said.map(({ by }) => by).join(' and ');
}

function byTime(a: DecisionCase, b: DecisionCase): number {
  return Date.parse(a.at ?? '') - Date.parse(b.at ?? '') || 0;
}
