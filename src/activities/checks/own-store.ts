/**
 * A turn is bound to the store that it began over. A worker over another store would find neither its transcript nor what
 * it has done, so it does none of its work. It says so and leaves the work to be taken again, by a worker that is set up right.
 */
import { ApplicationFailure, Context } from '@temporalio/activity';
import type { TurnContext } from '../../shared/activity-io';
import type { Store } from '../../store/store';
import type { Dependencies } from '../ports';

export const OTHER_STORE = 'holdfast.other_store';

/** @throws ApplicationFailure `holdfast.other_store`, which may be tried again */
export function checkStore(
  { identity }: Pick<Store, 'identity'>,
  { turn_id, store_id }: Pick<TurnContext, 'turn_id' | 'store_id'>,
): void {
  if (store_id !== undefined && store_id !== identity.id) throw otherStore(turn_id, store_id, identity.id);
}

/**
 * The same where a turn begins: one that was reset to its beginning belongs to the store over which it has run before.
 * @throws ApplicationFailure `holdfast.other_store`, which may be tried again
 */
export async function beginOver(
  { store, turns }: Pick<Dependencies, 'store' | 'turns'>,
  { turn_id, workflow_id, first_execution_run_id }: TurnContext,
): Promise<string> {
  const { id } = store.identity;
  if (Context.current().info.workflowExecution?.runId === first_execution_run_id) return id;
  const before = await turns.storeOf(workflow_id, first_execution_run_id);
  if (before !== null && before !== id) throw otherStore(turn_id, before, id);
  return id;
}

function otherStore(turnId: string, theirs: string, own: string): ApplicationFailure {
  return ApplicationFailure.retryable(
    `Turn ${turnId} is bound to store ${theirs}, and this worker runs over store ${own}: it does nothing of that turn. Give all workers of a task queue the same HOLDFAST_STORE.`,
    OTHER_STORE,
  );
}
