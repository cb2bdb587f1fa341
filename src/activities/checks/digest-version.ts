/**
 * Calls of turns that began when digests were of version 1, which names neither agent nor store. They go on until a date;
 * what their digest leaves out is taken from the start of the turn (own-start.ts), not from the arguments of the activity.
 */
import type { RunCallInput } from '../../shared/activity-io';
import { callError, type CallError } from '../../shared/wire/errors';
import type { Dependencies } from '../ports';

/** How long such turns go on after the store was first opened by a version that knows the new digests. */
export const OLD_DIGESTS_MS = 30 * 24 * 3_600_000;

/** Null: the digest is of version 2, or its time is not over. */
export function olderDigestFault(
  { oldDigestsUntil }: Pick<Dependencies, 'oldDigestsUntil'>,
  request: Pick<RunCallInput, 'turn' | 'call'>,
): CallError | null {
  const { turn, call } = request;
  if (turn.store_id !== undefined) return null;
  if (call.class !== 'destructive' || Date.now() < oldDigestsUntil) return null;
  const until = new Date(oldDigestsUntil).toISOString();
  const message = `${call.tool} was not run: this turn began before calls were bound to their agent and store, and its destructive calls were taken until ${until} (HOLDFAST_OLD_DIGESTS_UNTIL).`;
  return callError('PERMISSION_DENIED', 'digest_retired', message, { hint: 'Ask for it in a new turn.' });
}
