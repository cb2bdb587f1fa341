/** The approvals of a call, counted again where it is about to run: by the worker's own policy and keys, whatever history says. */
import { type RunCallInput, approvalsOf } from '../../shared/activity-io';
import { samePerson, type ApprovalPolicy, type Decision } from '../../shared/approval/approval';
import { noteHash } from '../../shared/approval/decision';
import { callError, type CallError } from '../../shared/wire/errors';
import { askedAbout, foundGood } from '../people/question-register';
import type { Dependencies } from '../ports';
import { approvalEvidenceOf } from '../admission/approval-evidence';

/** Null when enough people have approved exactly this call. */
export async function approvalsFault(
  { trust, store, oldDigestsUntil }: Pick<Dependencies, 'trust' | 'store' | 'oldDigestsUntil'>,
  request: RunCallInput,
  policy: ApprovalPolicy,
): Promise<CallError | null> {
  const { turn, call } = request;
  const approvals = approvalsOf(request);
  if (approvals.length < policy.quorum) {
    const people = policy.quorum === 1 ? 'a person has' : `${policy.quorum} people have`;
    return no('approval_missing', `${call.tool} runs only after ${people} approved this call.`);
  }
  for (const approval of approvals) {
    const fault = ownFault(approval, call.digest);
    if (fault) return fault;
  }
  // Of the record that the digest covers: the arguments could leave somebody out.
  const { makers } = policy.four_eyes ? await approvalEvidenceOf(store, call) : { makers: [] };
  const asked = policy.channel === 'any' ? null : await askedAbout(store, call.digest);
  for (const [index, approval] of approvals.entries()) {
    if (policy.four_eyes && samePerson(approval.by, turn.requester))
      return no('approval_by_requester', `${approval.by} asked for this call; somebody else must approve it.`);
    if (makers.some((maker) => samePerson(maker, approval.by)))
      return no('approval_by_maker', `${approval.by} had a hand in this call; somebody else must approve it.`);
    if (approvals.slice(0, index).some((earlier) => samePerson(earlier.by, approval.by)))
      return no('approval_doubled', `${approval.by} approved this call twice; each person counts once.`);
    if (policy.channel === 'any') continue;
    const { attestation, by, at, note } = approval;
    if (attestation === undefined) return no('approval_unsigned', `The approval of ${by} is not signed.`);
    const found = await foundGood(store, asked, attestation);
    // Of a question that was closed it is asked anew (after-reset.ts), and nothing runs by it.
    if (asked && !asked.closed && asked.over && found === undefined)
      return no('approval_late', `The approval of ${by} came after ${asked.expires_at}.`);
    if (asked === null && Date.now() >= oldDigestsUntil) return no('approval_unknown', NOT_ASKED);
    const about = { turn, digest: call.digest, tool: call.tool, outcome: null, input_hash: null, note_hash: noteHash(note) };
    const said = { ...about, decision: 'approve' as const, attestation, at };
    const checked = await trust.check(said, policy.roles, found);
    if (!checked.ok) return no('approval_not_genuine', `The approval of ${by} does not hold: ${checked.reason}.`);
    if (!samePerson(checked.principal, by)) return no('approval_not_genuine', `The approval of ${by} is signed by another.`);
  }
  return null;
}

function ownFault(approval: Decision, digest: string): CallError | null {
  if (approval.decision !== 'approve') return no('approval_missing', 'This call was not approved.');
  if (approval.digest !== digest) return no('approval_mismatch', `The approval is for ${approval.digest}, not for this call.`);
  if (!(Date.parse(approval.at) <= Date.parse(approval.expires_at)))
    return no('approval_expired', `The approval came after ${approval.expires_at}.`);
  if (approval.until !== undefined && !(Date.parse(approval.at) <= Date.parse(approval.until)))
    return no('approval_late', `The approval of ${approval.by} came after ${approval.until}, when its sender no longer waited.`);
  return null;
}

const NOT_ASKED =
  'The store does not know that people were asked about this call. A build that did not note it has asked; ask for the call again.';

function no(reason: string, message: string): CallError {
  return callError('CONFIRMATION_REQUIRED', reason, message);
}
