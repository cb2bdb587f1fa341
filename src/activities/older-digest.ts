/**
 * Calls of turns that began when digests were of version 1, which names neither agent nor store. They go on until a date;
 * what their digest leaves out is taken from the start of the turn, not from the arguments of the activity.
 */
import type { RunCallInput } from '../shared/activity-io';
import { callError, type CallError } from '../shared/errors';
import { isJsonObject } from '../shared/json';
import type { Store } from '../store/store';
import { walk } from '../store/transcript';
import type { Dependencies } from './dependencies';
import { startOf } from './outside-tools';

/** How long such turns go on after the store was first opened by a version that knows the new digests. */
export const OLD_DIGESTS_MS = 30 * 24 * 3_600_000;

/** Null: the digest is of version 2, or the turn began in good time as what it says it is. */
export async function olderDigestFault(
  { store, oldDigestsUntil }: Pick<Dependencies, 'store' | 'oldDigestsUntil'>,
  request: Pick<RunCallInput, 'turn' | 'call' | 'head'>,
): Promise<CallError | null> {
  const { turn, call } = request;
  if (turn.store_id !== undefined) return null;
  const other = await otherStart(store, request);
  if (other !== null) return other;
  if (call.class !== 'destructive' || Date.now() < oldDigestsUntil) return null;
  const until = new Date(oldDigestsUntil).toISOString();
  const message = `${call.tool} was not run: this turn began before calls were bound to their agent and store, and its destructive calls were taken until ${until} (HOLDFAST_OLD_DIGESTS_UNTIL).`;
  return callError('PERMISSION_DENIED', 'digest_retired', message, { hint: 'Ask for it in a new turn.' });
}

/** Null: the digest is of version 2, or the turn began as what it says it is. Whoever leaves out the store would else choose the agent. */
export async function otherStart(store: Store, { turn, head }: Pick<RunCallInput, 'turn' | 'head'>): Promise<CallError | null> {
  if (turn.store_id !== undefined) return null;
  const start = startOf(await walk(store, head), turn);
  if (start === null) return no(`no start of turn ${turn.turn_id} stands before ${head}`);
  if (start.store_id !== undefined) return no(`turn ${turn.turn_id} began with digests of version 2`);
  const agent = isJsonObject(start.agent) ? start.agent.name : start.agent;
  return agent === turn.agent ? null : no(`turn ${turn.turn_id} is of agent ${JSON.stringify(agent)}, not of ${turn.agent}`);
}

function no(why: string): CallError {
  return callError('PERMISSION_DENIED', 'digest_mismatch', `The call was not run: ${why}.`);
}
