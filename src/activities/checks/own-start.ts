/**
 * A turn began as what it says it is: its start stands in its transcript, and was looked at when it was written. Whoever starts
 * a workflow in the middle, as if another run of it had gone before, or an activity, has none; and who leaves out the store,
 * so that digests name no agent, does not choose the agent.
 */
import type { RunCallInput } from '../../shared/activity-io';
import { callError, type CallError } from '../../shared/wire/errors';
import type { Store } from '../../store/store';
import { walk } from '../../store/core/transcript';
import { startOf } from '../step/mcp-tools';
import type { StoredBlock } from '../../store/core/seal';

type Turn = RunCallInput['turn'];

/** Null: it did. */
export async function otherStart(store: Store, { turn, head }: Pick<RunCallInput, 'turn' | 'head'>): Promise<CallError | null> {
  const why = startFaultIn(await walk(store, head), turn);
  return why === null ? null : callError('PERMISSION_DENIED', 'digest_mismatch', `The call was not run: ${why}.`);
}

/** Why the start that stands in these blocks is not this turn's, or null. */
export function startFaultIn(blocks: StoredBlock[], turn: Turn): string | null {
  const start = startOf(blocks, turn);
  const { turn_id, agent, requester, store_id } = turn;
  if (start === null) return `no start of turn ${turn_id} stands in its transcript`;
  if (start.agent !== agent) return `turn ${turn_id} is of agent ${JSON.stringify(start.agent)}, not of ${agent}`;
  if (start.requester !== requester)
    return `turn ${turn_id} was asked for by ${JSON.stringify(start.requester)}, not by ${requester}`;
  if (start.store_id === (store_id ?? null)) return null;
  return `turn ${turn_id} began with digests of version ${start.store_id === null ? 1 : 2}`;
}
