/** How much work waits in a task queue for a worker, as Temporal's matching service reports it (server 1.25 and newer). */
import type { Client } from '@temporalio/client';
import { temporal } from '@temporalio/proto';

const { TASK_QUEUE_TYPE_WORKFLOW, TASK_QUEUE_TYPE_ACTIVITY } = temporal.api.enums.v1.TaskQueueType;
const TYPES = [
  { type: 'workflow', taskQueueType: TASK_QUEUE_TYPE_WORKFLOW },
  { type: 'activity', taskQueueType: TASK_QUEUE_TYPE_ACTIVITY },
] as const;
const ANSWERS_WITHIN_MS = 1000;

/** Tasks of one type that no worker has taken yet. The server counts them anew every few seconds. */
export interface Backlog {
  type: (typeof TYPES)[number]['type'];
  tasks: number;
  /** How long the oldest of them has waited. */
  ageMs: number;
}

/** @throws an error of gRPC where the server does not answer within a second */
export function backlogsOf(client: Client, taskQueue: string): Promise<Backlog[]> {
  const queue = { namespace: client.options.namespace, taskQueue: { name: taskQueue }, reportStats: true };
  const read = async ({ type, taskQueueType }: (typeof TYPES)[number]): Promise<Backlog> => {
    const { stats } = await client.workflowService.describeTaskQueue({ ...queue, taskQueueType });
    const { seconds = 0, nanos = 0 } = stats?.approximateBacklogAge ?? {};
    return { type, tasks: Number(stats?.approximateBacklogCount ?? 0), ageMs: Number(seconds) * 1000 + (nanos ?? 0) / 1e6 };
  };
  return client.connection.withDeadline(Date.now() + ANSWERS_WITHIN_MS, () => Promise.all(TYPES.map(read)));
}
