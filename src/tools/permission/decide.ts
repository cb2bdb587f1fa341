/**
 * The verdict on a call, where a worker asks for it: conditions that could take long are asked in a thread, all of a call's
 * together, and one that is ended there has failed, so that its rule counts for the careful side.
 */
import { decide as decideAtOnce, type CallFacts, type Policy, type Verdict } from '../../rules';
import { factsOf, type ToolCall } from './facts';
import { fewSteps, outcomesInThread } from './expressions';

export function decide(policy: Policy, call: ToolCall): Promise<Verdict> {
  return decideOn(policy, factsOf(call));
}

/** The same, where the facts are wanted besides. */
export async function decideOn(policy: Policy, call: CallFacts): Promise<Verdict> {
  const conditions = policy.rulesOf(call.tool).flatMap(({ rule }) => rule.condition ?? []);
  if (fewSteps(conditions, call)) return decideAtOnce(policy, call);
  const said = await outcomesInThread(conditions, call);
  return decideAtOnce(policy, call, (condition) => said[conditions.indexOf(condition)]!);
}
