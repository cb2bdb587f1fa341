/** What people say in a turn: decisions and messages are checked when they arrive, and what a later run needs of them is kept. */
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
import { noteGood } from './questions';
import type { Dependencies } from '../ports';
import { wantsSignatures } from '../checks/own-turn';
import { Context } from '@temporalio/activity';
import { readCardPart, readSaidPart } from '../../record/parts';
import { asJson } from '../../shared/json/json';

/** A signed decision, looked at when it arrives: what is not genuine must not answer a question. */
export async function checkDecision(deps: Dependencies, input: CheckDecisionInput): Promise<CheckDecisionOutput> {
  const checked = await deps.trust.check(input, deps.registry.approval(input.turn.agent, input.tool).roles);
  if (!checked.ok) return checked;
  const reason = await noteGood(deps.store, input, checked.principal);
  return reason === null ? checked : { ok: false, reason };
}

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

/** The card of a question that goes on in another run, as it was shown. */
export async function readCard({ store }: Dependencies, { card_ref }: ReadCardInput): Promise<ReadCardOutput> {
  const { card, digest } = readCardPart(await store.getPart(card_ref));
  return { card, digest, run_id: Context.current().info.workflowExecution?.runId ?? '' };
}

export async function keepSaid({ store }: Dependencies, { turn, said }: KeepSaidInput): Promise<KeepSaidOutput> {
  return { said_ref: await store.putPart(turn.first_execution_run_id, { said: asJson(said) }) };
}

/** As it was kept: its hash is that of the reference, which history has. */
export async function readSaid({ store }: Dependencies, { said_ref }: ReadSaidInput): Promise<ReadSaidOutput> {
  return { said: readSaidPart(await store.getPart(said_ref)) };
}
