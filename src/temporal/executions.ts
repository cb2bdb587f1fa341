/** Checks whether a workflow exists, and waits until an update may be sent to it. */
import { setTimeout as sleep } from 'node:timers/promises';
import { WorkflowNotFoundError, type Client, type WorkflowExecutionDescription } from '@temporalio/client';

/** Running or ended. */
export async function workflowExists(temporal: Client, workflowId: string): Promise<boolean> {
  try {
    await temporal.workflow.getHandle(workflowId).describe();
    return true;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false;
    throw error;
  }
}

/** After 10 s Temporal gives a workflow task of a lost worker to another one. */
const WAITS_AT_MOST = 12_000;
const POLL_EVERY = 50;

/**
 * Waits, for a while, until no workflow task is pending. A worker that restarts after a crash may have answered a query from
 * events that no workflow task has processed yet, such as the question that is now decided. The SDK's core would then process the
 * decision after them, and in a replay before them: the turn could never be replayed again.
 * @returns false: a task is still pending, and most probably there is no worker
 */
export async function waitForPendingWorkflowTask(describe: () => Promise<WorkflowExecutionDescription>): Promise<boolean> {
  const until = Date.now() + WAITS_AT_MOST;
  while ((await describe()).raw.pendingWorkflowTask) {
    if (Date.now() >= until) return false;
    await sleep(POLL_EVERY);
  }
  return true;
}
