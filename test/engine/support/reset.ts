/** Resets turns through Temporal's API, as `temporal workflow reset` does. */
import { randomUUID } from 'node:crypto';
import type { HoldfastClient } from '../../../src/client';
import type { TurnHandle } from '../../../src/client/turns/turn-handle';

type EventId = NonNullable<
  Parameters<HoldfastClient['temporal']['workflowService']['resetWorkflowExecution']>[0]['workflowTaskFinishEventId']
>;

/**
 * @param point what is kept: all up to the workflow task that scheduled the first activity of this type, or of this id.
 *   Default: all up to the last workflow task
 * @returns the new run
 */
export async function resetTurn(
  client: HoldfastClient,
  turn: TurnHandle,
  point?: { before: string } | { task: EventId },
): Promise<string> {
  const { workflow, workflowService } = client.temporal;
  const task =
    point === undefined
      ? await lastTask(client, turn)
      : 'task' in point
        ? point.task
        : await taskBefore(client, turn, point.before);
  const { runId } = await workflowService.resetWorkflowExecution({
    namespace: 'default',
    workflowExecution: { workflowId: turn.workflowId, runId: (await workflow.getHandle(turn.workflowId).describe()).runId },
    workflowTaskFinishEventId: task,
    requestId: randomUUID(),
    reason: 'test',
  });
  return runId!;
}

/** The last workflow task. */
async function lastTask(client: HoldfastClient, turn: TurnHandle): Promise<EventId> {
  const events = await eventsOf(client, turn);
  return events.findLast((event) => event.workflowTaskCompletedEventAttributes)!.eventId!;
}

/** The workflow task that scheduled the first activity of this type. */
export async function taskBefore(client: HoldfastClient, turn: TurnHandle, activity: string): Promise<EventId> {
  const scheduled = (await eventsOf(client, turn)).map((event) => event.activityTaskScheduledEventAttributes);
  return scheduled.find((attributes) => attributes?.activityType?.name === activity)!.workflowTaskCompletedEventId!;
}

async function eventsOf({ temporal: { workflow } }: HoldfastClient, { workflowId }: TurnHandle) {
  return (await workflow.getHandle(workflowId).fetchHistory()).events!;
}
