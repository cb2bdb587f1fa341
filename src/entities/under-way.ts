/** Waits before an update, where history could otherwise take it in another order than a worker has seen it in. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { WorkflowExecutionDescription } from '@temporalio/client';

/** After 10 s Temporal gives a workflow task of a worker that is gone to another one. */
const UNDER_WAY_AT_MOST = 12_000;
const POLL_EVERY = 50;

/**
 * Waits until no workflow task is under way, for a while. A worker that comes back from a crash may have answered a query
 * from events that no workflow task has taken yet, such as the question that is now decided. The SDK's core would then
 * take the decision after them, and in a replay before them: the turn could never be replayed again.
 * @returns false: one is under way still, and most probably there is no worker
 */
export async function settledDown(describe: () => Promise<WorkflowExecutionDescription>): Promise<boolean> {
  const until = Date.now() + UNDER_WAY_AT_MOST;
  while ((await describe()).raw.pendingWorkflowTask) {
    if (Date.now() >= until) return false;
    await sleep(POLL_EVERY);
  }
  return true;
}
