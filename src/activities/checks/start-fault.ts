/**
 * Whether a signed start is of this very turn. Everyone who reads history can copy it, and it does not cover the conversation
 * before the message: so it begins one turn only, and a message to a session begins only a turn that the session itself has started.
 */
import { hashJson } from '../../shared/json/digests';
import { sessionWorkflowId } from '../../shared/ids';
import type { Json } from '../../shared/json/json';
import type { Dependencies, SignedStart } from '../ports';

/** Why not, or null. */
export async function startFault(
  { trust, store, turns }: Pick<Dependencies, 'trust' | 'store' | 'turns'>,
  start: SignedStart,
): Promise<string | null> {
  const { session_id, workflow_id, first_execution_run_id: run } = start.turn;
  const fault = await trust.checkStart({ ...start, turn: { ...start.turn, session_id: null } });
  if (fault !== null) {
    if (session_id === null) return fault;
    // A message to a session is signed before its turn has an id, for the session.
    const said = await trust.checkStart(start);
    if (said !== null) return said;
    if ((await turns.startedBy(workflow_id, run))?.workflow_id !== sessionWorkflowId(session_id))
      return `it was said to session ${session_id}, which has not started this turn`;
  }
  const first = await store.registers.update<Json>(`start/${hashJson(start.attestation)}`, (value) =>
    value === null ? { value: run, answer: run } : { answer: value },
  );
  return first === run ? null : 'it has begun another turn already';
}
