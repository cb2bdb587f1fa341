/** Why nobody answered: whether a worker polls at all, so that nobody starts one who only has to wait. */
import type { Client } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import { NoWorker } from './errors';

const { TASK_QUEUE_TYPE_WORKFLOW } = temporal.api.enums.v1.TaskQueueType;
/** The server lists a worker for minutes after its death; one that lives asks at least once a minute. */
const POLLS_WITHIN_MS = 75_000;
const LOOK_WITHIN_MS = 3000;

/** @param of the workflow that was asked, or the queue that was to take it */
export async function unanswered(
  client: Client,
  of: { workflowId: string } | { taskQueue: string },
  what: string,
): Promise<NoWorker> {
  try {
    return await client.connection.withDeadline(Date.now() + LOOK_WITHIN_MS, async () => {
      const name = 'taskQueue' in of ? of.taskQueue : (await client.workflow.getHandle(of.workflowId).describe()).taskQueue;
      const { namespace } = client.options;
      const queue = { namespace, taskQueue: { name }, taskQueueType: TASK_QUEUE_TYPE_WORKFLOW };
      const { pollers } = await client.workflowService.describeTaskQueue(queue);
      const last = Math.max(...(pollers ?? []).map(({ lastAccessTime }) => Number(lastAccessTime?.seconds ?? 0) * 1000));
      return new NoWorker(what, Date.now() - last < POLLS_WITHIN_MS ? Math.max(0, Date.now() - last) : null);
    });
  } catch {
    return new NoWorker(what); // the server does not answer this either
  }
}
