/** The real Temporal CLI against the test server, as an operator uses it. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { HoldfastClient } from '../../../src/client';
import type { TurnHandle } from '../../../src/client/turns/turn-handle';
import { findTemporalCli } from '../../../src/devserver/find-cli';
import { testAddress } from '../../engine/support/engine';
import { taskBefore } from '../../engine/support/reset';

/** @throws with what it printed, where it fails */
export async function temporal(...args: string[]): Promise<string> {
  const { path } = await findTemporalCli();
  const { stdout } = await promisify(execFile)(path, [...args, '--address', testAddress()], { timeout: 60_000 });
  return stdout;
}

/** Where a reset goes to: as the CLI's `--type` names it, or the last workflow task that ended before the first approval. */
export type ResetPoint = 'FirstWorkflowTask' | 'LastWorkflowTask' | 'before the approval';

/** `temporal workflow reset`; returns the new run's id. */
export async function reset(client: HoldfastClient, turn: TurnHandle, to: ResetPoint, ...more: string[]): Promise<string> {
  const point = to === 'before the approval' ? ['--event-id', await taskBeforeApproval(client, turn)] : ['--type', to];
  const named = ['--workflow-id', turn.workflowId, '--reason', 'test', '--output', 'json'];
  const printed = await temporal('workflow', 'reset', ...named, ...point, ...more);
  return (JSON.parse(printed) as { runId: string }).runId;
}

async function taskBeforeApproval({ temporal: { workflow } }: HoldfastClient, { workflowId }: TurnHandle): Promise<string> {
  const { events } = await workflow.getHandle(workflowId).fetchHistory();
  const approval = events!.findIndex((event) => event.workflowExecutionSignaledEventAttributes?.signalName === 'approve');
  const task = events!.slice(0, approval).findLast((event) => event.workflowTaskCompletedEventAttributes);
  return String(task!.eventId);
}

/** Id of the last activity of this type. */
export async function activityIdOf({ temporal: { workflow } }: HoldfastClient, turn: TurnHandle, type: string): Promise<string> {
  const { events } = await workflow.getHandle(turn.workflowId).fetchHistory();
  const scheduled = events!.map((event) => event.activityTaskScheduledEventAttributes);
  return scheduled.findLast((attributes) => attributes?.activityType?.name === type)!.activityId!;
}

/** `temporal workflow reset` to where the first activity of this type was not scheduled yet. */
export async function resetBefore(client: HoldfastClient, turn: TurnHandle, type: string): Promise<void> {
  const point = await taskBefore(client, turn, type);
  await temporal('workflow', 'reset', '--workflow-id', turn.workflowId, '--reason', 'test', '--event-id', String(point));
}
