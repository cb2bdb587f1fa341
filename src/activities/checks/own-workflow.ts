/**
 * What is told to people and programs in our name is told for the turn that it is about, and what is written into a conversation
 * is written by its own turn: Temporal says whose activity it is, and the arguments of one that somebody else has scheduled do
 * not count.
 */
import { ApplicationFailure, Context } from '@temporalio/activity';
import type { TurnContext } from '../../shared/activity-io';
import type { Dependencies } from '../ports';

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
