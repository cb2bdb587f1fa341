/**
 * An activity works for one turn only: that of the workflow which has scheduled it, over the store that the turn began with. Temporal
 * says whose activity it is; its arguments, which somebody else may have written, do not count. A worker over another store would find neither
 * the turn's transcript nor what it has done, so it leaves the work to a worker that is set up right.
 */
import { ApplicationFailure, Context } from '@temporalio/activity';
import type { TurnContext } from '../../shared/activity-io';
import type { Dependencies } from '../ports';
import type { Store } from '../../store/store';

type Of = Pick<TurnContext, 'turn_id' | 'workflow_id' | 'first_execution_run_id'>;

/** @throws ApplicationFailure `holdfast.other_workflow` for an activity of another workflow than the turn's */
export async function checkOwnTurn({ turns }: Pick<Dependencies, 'turns'>, turn: Of): Promise<void> {
  const { workflowId, runId } = ownWorkflow();
  if (workflowId !== turn.workflow_id) throw otherWorkflow(turn, workflowId);
  if (runId === turn.first_execution_run_id || (await turns.runs(workflowId, turn.first_execution_run_id))) return;
  throw otherWorkflow(turn, workflowId);
}

/** @throws the same, for an activity of a workflow that the turn has not started */
export async function checkTurnsOwn({ turns }: Pick<Dependencies, 'turns'>, turn: Of): Promise<void> {
  const { workflowId, runId } = ownWorkflow();
  const by = await turns.startedBy(workflowId, runId);
  if (by?.workflow_id === turn.workflow_id && by.first_execution_run_id === turn.first_execution_run_id) return;
  throw otherWorkflow(turn, workflowId);
}

function ownWorkflow(): { workflowId: string; runId: string } {
  return Context.current().info.workflowExecution ?? { workflowId: '', runId: '' };
}

function otherWorkflow({ turn_id }: Of, workflowId: string): ApplicationFailure {
  return ApplicationFailure.nonRetryable(
    `Nothing was done: workflow ${workflowId} is not of turn ${turn_id}.`,
    'holdfast.other_workflow',
  );
}

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
