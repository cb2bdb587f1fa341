import type { CheckDecisionInput, CheckDecisionOutput } from '../../shared/activity-io';
import { noteGood } from './question-register';
import type { Dependencies } from '../ports';

/** A signed decision, looked at when it arrives: what is not genuine must not answer a question. */
export async function checkDecision(deps: Dependencies, input: CheckDecisionInput): Promise<CheckDecisionOutput> {
  const checked = await deps.trust.check(input, deps.registry.approval(input.turn.agent, input.tool).roles);
  if (!checked.ok) return checked;
  const reason = await noteGood(deps.store, input, checked.principal);
  return reason === null ? checked : { ok: false, reason };
}
