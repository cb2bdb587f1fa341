import type { CheckDecisionInput, CheckDecisionOutput } from '../shared/activity-io';
import type { Dependencies } from './dependencies';
import { noteGood } from './found-good';

/** A signed decision, looked at when it arrives: what is not genuine must not answer a question. */
export async function checkDecision(deps: Dependencies, input: CheckDecisionInput): Promise<CheckDecisionOutput> {
  const checked = await deps.trust.check(input, deps.registry.approval(input.turn.agent, input.tool).roles);
  if (checked.ok) await noteGood(deps.store, input.attestation);
  return checked;
}
