/**
 * A direct call has its id from the key that it was asked for under, and Temporal starts one under it for as long as it retains
 * it, and no longer, or unless somebody asks it for another under the same id. Of what may be destructive the store remembers
 * the id for good: whoever starts a call under it later, by whatever way, does not have it made again.
 */
import type { TurnContext } from '../../shared/activity-io';
import { callError, type CallError } from '../../shared/wire/errors';
import type { Store } from '../../store/store';

interface First {
  /** Of the call that was admitted under the id first; a reset of it has the same. */
  run: string;
  /** ms since 1970 */
  at: number;
}

/** Null: this is the call that the id stands for, and from now on it is. */
export async function directCallKeyFault(
  { registers }: Pick<Store, 'registers'>,
  { turn_id, first_execution_run_id: run }: Pick<TurnContext, 'turn_id' | 'first_execution_run_id'>,
): Promise<CallError | null> {
  const first = await registers.update<First>(`kept/direct/${turn_id}`, (known, at) =>
    known === null ? { value: { run, at }, answer: { run, at } } : { answer: known as unknown as First },
  );
  if (first.run === run) return null;
  const before = new Date(first.at).toISOString();
  const message = `${turn_id} was asked for on ${before}, in an execution that Temporal has since let another follow: what may be destructive is made once under an id.`;
  const hint = 'The trail says what became of it (`holdfast trail --turn`). Another call needs another key.';
  return callError('INVALID_PARAMS', 'key_forgotten', message, { hint });
}
