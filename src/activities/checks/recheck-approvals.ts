/**
 * The second check of approvals, right before a call runs, with the check of its rules; and the same for settlements. The approvals
 * come with the activity's input, which is not trusted; what they must fulfil comes from this worker's policy, keys and store.
 */
import { approvalsOf, type SettleEffectInput } from '../../shared/io/activities';
import {
  isBehind,
  nameOfVote,
  peopleOf,
  samePerson,
  sharePerson,
  starterOf,
  type ApprovalPolicy,
  type Decision,
  type HoldReason,
  stricter,
  type Settlement,
} from '../../shared/approval/approval';
import { noteHash } from '../../shared/approval/decision';
import { callError, type CallError } from '../../shared/wire/errors';
import { deniedError } from '../../tools/admit/admit';
import { decide } from '../../tools/admit/policy';
import { prepareTool, type PreparedAgent } from '../../tools/catalogue/registry';
import type { EffectRecord } from '../../record/effect';
import type { ApprovalEvidence } from '../../record/parts';
import { findStoredQuestion, approvalVerifiedAt, findSettlement, policyOf, rolesThen, withDeputyship } from '../people/questions';
import type { Dependencies } from '../ports';
import { approvalEvidenceOf, presentPolicy, turnFacts } from '../admission/decide-call';
import { effectiveInput, inputFault } from '../call/call-input';
import type { CallContext } from '../call/call-context';
import { withdrawnApproval } from './stop-switch';
import { recordedDispatch } from '../effects/effect-record';

/** Null when enough people have approved exactly this call. */
export async function recheckApprovals(run: CallContext, present: ApprovalPolicy): Promise<CallError | null> {
  const { turn, call } = run;
  const { trust, store, oldDigestsUntil } = run.deps;
  const approvals = approvalsOf(run.request);
  const question = await findStoredQuestion(store, call.digest);
  const policy = policyOf(question, present);
  if (approvals.length < policy.quorum) {
    const people = policy.quorum === 1 ? 'a person has' : `${policy.quorum} people have`;
    return no('approval_missing', `${call.tool} runs only after ${people} approved this call.`);
  }
  for (const approval of approvals) {
    const fault = ownFault(approval, call.digest);
    if (fault) return fault;
  }
  // From the record that the digest covers: the arguments of the activity could leave out a maker.
  const { makers } = policy.four_eyes ? await approvalEvidenceOf(store, call) : { makers: [] };
  for (const [index, approval] of approvals.entries()) {
    const name = nameOfVote(approval);
    const starter = peopleOf(approval)
      .map(starterOf)
      .find((one) => one !== null);
    if (starter !== undefined)
      return no(`approval_by_${starter.kind}`, `${name} is a ${starter.kind}; a person must approve this call.`);
    if (policy.four_eyes && isBehind(approval, turn.requester))
      return no('approval_by_requester', `${turn.requester} asked for this call; somebody else must approve it.`);
    if (makers.some((maker) => isBehind(approval, maker)))
      return no('approval_by_maker', `${name} changed this call or steered the turn; somebody else must approve it.`);
    if (approvals.slice(0, index).some((earlier) => sharePerson(earlier, approval)))
      return no('approval_doubled', `${name} approved this call twice; each person counts once, with their deputy.`);
    if (policy.channel === 'any') continue;
    const { attestation, by, at, note } = approval;
    if (attestation === undefined) return no('approval_unsigned', `The approval of ${by} is not signed.`);
    const verifiedAt = await approvalVerifiedAt(store, question, attestation);
    // A closed question is asked again (after-reset.ts), and nothing runs by its approvals.
    if (question && !question.closed && question.over && verifiedAt === undefined)
      return no('approval_late', `The approval of ${by} came after ${question.expires_at}.`);
    if (question === null && Date.now() >= oldDigestsUntil) return no('approval_unknown', NOT_ASKED);
    const about = { turn, digest: call.digest, tool: call.tool, outcome: null, input_hash: null, note_hash: noteHash(note) };
    const statement = { ...about, decision: 'approve' as const, attestation, at };
    const times = [Date.parse(at), verifiedAt === undefined ? Date.now() : Date.parse(verifiedAt)];
    const signed = await trust.check(statement, rolesThen(question, policy, times), verifiedAt);
    const result = await withDeputyship(store, signed, policy.channel);
    if (!result.ok) return no('approval_not_genuine', `The approval of ${by} is not valid: ${result.reason}.`);
    if (!samePerson(result.principal, by)) return no('approval_not_genuine', `The approval of ${by} is signed by another.`);
    if (!samePerson(result.on_behalf_of ?? '', approval.on_behalf_of ?? ''))
      return no('approval_not_genuine', `The approval of ${by} is signed for somebody else than it says.`);
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
  'The store has no record that people were asked about this call: an older build asked them and did not record it. Ask for the call again.';

function no(reason: string, message: string): CallError {
  return callError('CONFIRMATION_REQUIRED', reason, message);
}

// Permission is checked again where the call runs: history is not trusted.

/**
 * Null if the current rules allow the call, or people approved exactly this call. At least as strict as admission: a call that
 * was asked about then needs its approvals now, even if today's rules allow it. Approvals that were given under other rules are
 * asked for again, since the approvers saw those other rules.
 */
export async function recheckPermission(run: CallContext): Promise<HoldAnswer> {
  const { deps, request, turn, call, tool, input } = run;
  const agent = deps.registry.forTurn(turn)!;
  await prepareTool(tool).validate.ahead(input, turn.requester);
  const unfit = inputFault(tool, input);
  if (unfit) return { refused: unfit };
  const verdict = await decide(agent.policy, { tool, input, turn: turnFacts(turn, call.id, request.untrusted ?? false) });
  if (verdict.verdict === 'deny') return { refused: deniedError(tool.name, verdict) };
  if (agent.policyRef !== call.policy_ref) {
    if (approvalsOf(request).length > 0) return policyChangeHold(agent);
    if (tool.class === 'destructive') return { refused: POLICY_CHANGE_ERROR };
  }
  // If the rules leave it open, the classifier or a person decided at admission; such a call is never destructive.
  if (verdict.verdict !== 'ask' && request.verdict !== 'ask') return null;
  return heldByApprovals(run, verdict.approval ?? agent.approval(tool.name));
}

/** Refuses what its approvals do not allow; an approval that was withdrawn is asked for again. */
export async function heldByApprovals(run: CallContext, present: ApprovalPolicy): Promise<HoldAnswer> {
  const fault = await recheckApprovals(run, present);
  return fault === null ? withdrawnApproval(run) : { refused: fault };
}

/** What approvals of this call require by this worker's rules. */
export async function policyOfRun({ deps, request, turn, call, tool, input }: CallContext): Promise<ApprovalPolicy> {
  const agent = deps.registry.forTurn(turn);
  if (!agent) return deps.registry.approval(turn.agent, tool.name);
  return presentPolicy(agent, { turn, callId: call.id, tool, input, untrusted: request.untrusted ?? false });
}

const POLICY_CHANGE_ERROR = callError(
  'PERMISSION_DENIED',
  'policy_changed',
  'The rules have changed since this call was admitted.',
  {
    hint: 'Ask for the call again.',
  },
);

function policyChangeHold({ agent, policyRef }: PreparedAgent): HoldReason {
  const text = `The permission rules or the approval policy of agent ${agent.name} have changed since this call was admitted: a new version of the agent was deployed. Earlier decisions no longer count. The lines above show what an approval needs now.`;
  return { kind: 'policy_changed', id: policyRef, text };
}

// The second check of settlements, where they are recorded: by the worker's own policy and keys.

export interface SettlementFault {
  /** Why these settlements are not valid. */
  reason: string;
  /** The policy that applies: the question may have been asked under another one. */
  policy: ApprovalPolicy;
}

/** Null if they are valid under the current policy, and under the policy of the dispatch. */
export async function recheckSettlements(
  deps: Pick<Dependencies, 'registry' | 'trust' | 'store'>,
  input: SettleEffectInput,
  record: EffectRecord,
): Promise<SettlementFault | null> {
  const { turn, call } = input;
  const present = await presentPolicyOf(deps, input);
  const before = await recordedDispatch(deps.store, record);
  const policy = before?.approval ? stricter(before.approval, present) : present;
  if (before && before.agent !== turn.agent) return { reason: `the call is of agent ${before.agent}`, policy };
  if (before && before.requester !== turn.requester) return { reason: `${before.requester} asked for the call`, policy };
  // The digest of the dispatch may have other makers than the digest that is settled.
  const evidence = await Promise.all([call, ...(before ? [before] : [])].map((one) => approvalEvidenceOf(deps.store, one)));
  const makers = evidence.flatMap((one) => one.makers);
  for (const one of before?.approval ? [present, before.approval] : [present]) {
    const reason = await faultUnder(one, deps, input, makers);
    if (reason !== null) return { reason, policy };
  }
  return null;
}

/** For a tool with a list, what its entries require whether untrusted text had been read or not: the store does not have that. */
async function presentPolicyOf(
  { registry, store }: Pick<Dependencies, 'registry' | 'store'>,
  { turn, call }: SettleEffectInput,
): Promise<ApprovalPolicy> {
  const agent = registry.forTurn(turn);
  const tool = registry.find(turn.agent, call.tool, call.version);
  if (!tool || !agent?.policy.approvals?.has(call.tool)) return registry.approval(turn.agent, call.tool);
  const facts = { turn, callId: call.id, tool, input: await effectiveInput(store, turn, call) };
  const clean = await presentPolicy(agent, { ...facts, untrusted: false });
  return stricter(clean, await presentPolicy(agent, { ...facts, untrusted: true }));
}

async function faultUnder(
  policy: ApprovalPolicy,
  { trust, store }: Pick<Dependencies, 'trust' | 'store'>,
  { turn, call, at, outcome, ...input }: SettleEffectInput,
  makers: readonly string[],
): Promise<string | null> {
  const settlements: Pick<Settlement, 'by' | 'note' | 'attestation'>[] = input.settlements ?? [input];
  if (settlements.length < policy.quorum)
    return `${policy.quorum} people must settle the call, but only ${settlements.length} did`;
  for (const [index, { by, note, attestation }] of settlements.entries()) {
    const starter = starterOf(by);
    if (starter !== null) return `${by} is a ${starter.kind}, and only people settle calls`;
    if (policy.four_eyes && samePerson(by, turn.requester)) return `${by} asked for this call`;
    if (policy.four_eyes && makers.some((maker) => samePerson(maker, by))) return `${by} changed this call or steered the turn`;
    if (settlements.slice(0, index).some((earlier) => samePerson(earlier.by, by))) return `${by} settled the call twice`;
    if (policy.channel === 'any') continue;
    if (attestation === undefined) return `the settlement of ${by} is not signed`;
    const about = { turn, digest: call.digest, tool: call.tool, outcome, input_hash: null, note_hash: noteHash(note) };
    const statement = { ...about, decision: 'settle' as const, attestation, at };
    const record = await findSettlement(store, { digest: call.digest, attestation, by });
    if (record.last !== null && record.last !== outcome) return `${by} has since settled the call as ${record.last}`;
    const result = await trust.check(statement, policy.roles, record.at);
    if (!result.ok) return `the settlement of ${by} is not valid: ${result.reason}`;
    if (!samePerson(result.principal, by)) return `what ${by} says is signed by another`;
  }
  return null;
}

// Types of a check right before an effect.

/** A reason to ask a person, or a refusal; null: the check passes. */
export type HoldAnswer = HoldReason | { refused: CallError } | null;

/** Checks one call against the evidence that its approvers saw. */
export type Hold = (run: CallContext, evidence: ApprovalEvidence) => Promise<HoldAnswer>;
