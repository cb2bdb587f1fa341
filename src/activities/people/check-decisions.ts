/** Checks the decisions and messages of people when they arrive, and stores what a later run of the turn needs of them. */
import type {
  CheckDecisionInput,
  CheckDecisionOutput,
  CheckSteerInput,
  CheckSteerOutput,
  KeepSaidInput,
  KeepSaidOutput,
  ReadCardInput,
  ReadCardOutput,
  ReadSaidInput,
  ReadSaidOutput,
} from '../../shared/io/activities';
import { escalationsFrom } from '../../shared/approval/policy';
import { findStoredQuestion, policyOf, recordStatement, rolesThen, type StoredQuestion } from './questions';
import type { Dependencies } from '../ports';
import { wantsSignatures } from '../checks/own-turn';
import { Context } from '@temporalio/activity';
import { readCardPart, readSaidPart } from '../../record/parts';
import { asJson } from '../../shared/json/json';

/** Checks a signed decision when it arrives: one that is not genuine must not answer a question. */
export async function checkDecision(deps: Dependencies, input: CheckDecisionInput): Promise<CheckDecisionOutput> {
  const question = input.decision === 'steer' ? null : await findStoredQuestion(deps.store, input.digest);
  const roles = rolesFor(deps, input, question);
  const result = await deps.trust.check(input, roles);
  if (!result.ok) return (await tooEarly(deps, input, question)) ?? result;
  // The workflow counts by its own clock, and by what people were asked where the store does not have that.
  const byWorkflow = input.roles === undefined ? result : await deps.trust.check(input, input.roles);
  if (!byWorkflow.ok) return byWorkflow;
  const reason = await recordStatement(deps.store, input, result.principal);
  return reason === null ? result : { ok: false, reason };
}

/** The roles of which the author of a decision needs one now. */
function rolesFor({ registry }: Dependencies, input: CheckDecisionInput, question: StoredQuestion | null): string[] {
  const { policy: before } = question ?? {};
  // The store keeps what people were asked only where decisions are attested. Elsewhere roles are advisory.
  if (!before && input.roles !== undefined) return input.roles;
  // What a list requires of a call depends on the call: then what people were asked counts, and the present rules when it runs.
  const hasList = registry.agent(input.turn.agent)?.policy.approvals?.has(input.tool) ?? false;
  const present = registry.approval(input.turn.agent, input.tool);
  const policy = hasList && before ? before : policyOf(question, present);
  // Only approvals escalate: a call in doubt has no time limit.
  return input.decision === 'settle' ? policy.roles : rolesThen(question, policy, [question?.now ?? 0, Date.parse(input.at)]);
}

/** For a decision that will count later: from when on. */
async function tooEarly(
  { trust }: Dependencies,
  input: CheckDecisionInput,
  question: StoredQuestion | null,
): Promise<CheckDecisionOutput | null> {
  if (!question?.policy || !question.asked_at || input.decision === 'settle') return null;
  const escalations = escalationsFrom(question.policy, Date.parse(question.asked_at));
  for (const { at, roles } of escalations.filter((one) => Date.parse(one.at) > question.now))
    if ((await trust.check(input, roles)).ok)
      return { ok: false, reason: `people with the roles ${roles.join(', ')} may decide from ${at} on` };
  return null;
}

/**
 * Checks a message to a running turn before the model reads it. If decisions are signed, it must be signed too. Otherwise a person
 * could steer under another name, and then approve the resulting call under their own.
 */
export async function checkSteer(
  { registry, trust }: Pick<Dependencies, 'registry' | 'trust'>,
  { attestation, ...statement }: CheckSteerInput,
): Promise<CheckSteerOutput> {
  const agent = registry.forTurn(statement.turn);
  if (!agent) return { ok: false, reason: `this worker has no agent ${statement.turn.agent}` };
  if (attestation !== null)
    return trust.check({ ...statement, attestation, decision: 'steer', outcome: null, tool: '', input_hash: null }, []);
  if (!wantsSignatures(agent)) return { ok: true, principal: null };
  return { ok: false, reason: 'this turn takes signed messages only; `holdfast steer --key FILE` sends one' };
}

/** The card of a question that continues in another run, as it was shown. */
export async function readCard({ store }: Dependencies, { card_ref }: ReadCardInput): Promise<ReadCardOutput> {
  const { card, digest } = readCardPart(await store.getPart(card_ref));
  return { card, digest, run_id: Context.current().info.workflowExecution?.runId ?? '' };
}

export async function keepSaid({ store }: Dependencies, { turn, said: words }: KeepSaidInput): Promise<KeepSaidOutput> {
  return { said_ref: await store.putPart(turn.first_execution_run_id, { said: asJson(words) }) };
}

/** The stored text, unchanged: history has its hash as the reference. */
export async function readSaid({ store }: Dependencies, { said_ref }: ReadSaidInput): Promise<ReadSaidOutput> {
  return { said: readSaidPart(await store.getPart(said_ref)) };
}
