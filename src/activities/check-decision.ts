import type { CheckDecisionInput, CheckDecisionOutput } from '../shared/activity-io';
import type { Dependencies } from './dependencies';

/** A signed decision, looked at when it arrives: what is not genuine must not answer a question. */
export async function checkDecision(deps: Dependencies, input: CheckDecisionInput): Promise<CheckDecisionOutput> {
  return deps.trust.check(input, deps.registry.approval(input.turn.agent, input.tool).roles);
}
