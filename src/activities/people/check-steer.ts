import type { CheckSteerInput, CheckSteerOutput } from '../../shared/activity-io';
import type { Dependencies } from '../ports';
import { wantsSignatures } from '../checks/signed-start';

/**
 * A message to a running turn, looked at before the model may read it. Where decisions are signed it must be too:
 * whoever could steer under another name could then approve under his own what he has steered to.
 */
export async function checkSteer(
  { registry, trust }: Pick<Dependencies, 'registry' | 'trust'>,
  { attestation, ...said }: CheckSteerInput,
): Promise<CheckSteerOutput> {
  const agent = registry.forTurn(said.turn);
  if (!agent) return { ok: false, reason: `this worker has no agent ${said.turn.agent}` };
  if (attestation !== null)
    return trust.check({ ...said, attestation, decision: 'steer', outcome: null, tool: '', input_hash: null }, []);
  if (!wantsSignatures(agent)) return { ok: true, principal: null };
  return { ok: false, reason: 'this turn takes signed messages only; `holdfast steer --key FILE` sends one' };
}
