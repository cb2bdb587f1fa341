/** Resets turns through Temporal's API, as `temporal workflow reset` does. */
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
  { temporal: { workflow, workflowService } }: HoldfastClient,
  turn: TurnHandle,
  point?: { before: string } | { task: EventId },
): Promise<string> {
  const { runId } = await workflowService.resetWorkflowExecution({
    namespace: 'default',
    workflowExecution: { workflowId: turn.workflowId, runId: (await workflow.getHandle(turn.workflowId).describe()).runId },
    workflowTaskFinishEventId: point !== undefined && 'task' in point ? point.task : await taskOf(workflow, turn, point?.before),
    requestId: `reset-${turn.workflowId}`,
    reason: 'test',
  });
  return runId!;
}

/** The last workflow task, or that which scheduled the first activity of this type. */
async function taskOf(workflow: HoldfastClient['temporal']['workflow'], turn: TurnHandle, activity?: string): Promise<EventId> {
  const events = (await workflow.getHandle(turn.workflowId).fetchHistory()).events!;
  if (activity === undefined) return events.findLast((event) => event.workflowTaskCompletedEventAttributes)!.eventId!;
  const scheduled = events.map((event) => event.activityTaskScheduledEventAttributes);
  return scheduled.find((attributes) => attributes?.activityType?.name === activity)!.workflowTaskCompletedEventId!;
}
