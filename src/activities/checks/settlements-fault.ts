/** What people say became of a call in doubt, counted again where it is written down: by the worker's own policy and keys. */
import type { SettleEffectInput } from '../../shared/activity-io';
import { samePerson, stricter, type ApprovalPolicy, type Settlement } from '../../shared/approval/approval';
import { noteHash } from '../../shared/approval/decision';
import type { EffectRecord } from '../../store/store';
import { foundSettled } from '../people/question-register';
import type { Dependencies } from '../ports';
import { recordedDispatch } from '../effects/recorded-dispatch';
import { approvalEvidenceOf } from '../admission/approval-evidence';

export interface SettlementsFault {
  /** Why these settlements do not hold. */
  reason: string;
  /** What it takes: the question may have been asked under another policy. */
  policy: ApprovalPolicy;
}

/** Null when they hold under the present policy, and under the one with which the call was dispatched. */
export async function settlementsFault(
  deps: Pick<Dependencies, 'registry' | 'trust' | 'store'>,
  input: SettleEffectInput,
  record: EffectRecord,
): Promise<SettlementsFault | null> {
  const { turn, call } = input;
  const present = deps.registry.approval(turn.agent, call.tool);
  const before = await recordedDispatch(deps.store, record);
  const policy = before?.approval ? stricter(before.approval, present) : present;
  if (before && before.agent !== turn.agent) return { reason: `the call is of agent ${before.agent}`, policy };
  if (before && before.requester !== turn.requester) return { reason: `${before.requester} asked for the call`, policy };
  // Under the digest of its dispatch others may have had a hand in it than under the one that is settled.
  const shown = await Promise.all([call, ...(before ? [before] : [])].map((one) => approvalEvidenceOf(deps.store, one)));
  const makers = shown.flatMap((one) => one.makers);
  for (const one of before?.approval ? [present, before.approval] : [present]) {
    const reason = await faultUnder(one, deps, input, makers);
    if (reason !== null) return { reason, policy };
  }
  return null;
}

async function faultUnder(
  policy: ApprovalPolicy,
  { trust, store }: Pick<Dependencies, 'trust' | 'store'>,
  { turn, call, at, outcome, ...input }: SettleEffectInput,
  makers: readonly string[],
): Promise<string | null> {
  const settlements: Pick<Settlement, 'by' | 'note' | 'attestation'>[] = input.settlements ?? [input];
  if (settlements.length < policy.quorum) return `${policy.quorum} people must say so, not ${settlements.length}`;
  for (const [index, { by, note, attestation }] of settlements.entries()) {
    if (policy.four_eyes && samePerson(by, turn.requester)) return `${by} asked for this call`;
    if (policy.four_eyes && makers.some((maker) => samePerson(maker, by))) return `${by} had a hand in this call`;
    if (settlements.slice(0, index).some((earlier) => samePerson(earlier.by, by))) return `${by} says it twice`;
    if (policy.channel === 'any') continue;
    if (attestation === undefined) return `what ${by} says is not signed`;
    const about = { turn, digest: call.digest, tool: call.tool, outcome, input_hash: null, note_hash: noteHash(note) };
    const said = { ...about, decision: 'settle' as const, attestation, at };
    const found = await foundSettled(store, { digest: call.digest, attestation, by });
    if (found.last !== null && found.last !== outcome) return `${by} has said since that it was ${found.last}`;
    const checked = await trust.check(said, policy.roles, found.at);
    if (!checked.ok) return `what ${by} says does not hold: ${checked.reason}`;
    if (!samePerson(checked.principal, by)) return `what ${by} says is signed by another`;
  }
  return null;
}
