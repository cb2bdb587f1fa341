/** Schedules in Temporal: from a schedule's settings and back. The settings travel in the argument of each firing. */
import {
  isGrpcServiceError,
  type Client,
  type ScheduleDescription,
  type ScheduleOptions,
  type ScheduleOverlapPolicy,
} from '@temporalio/client';
import { inlineCode } from '../shared/text/visible';
import {
  firingWorkflowId,
  SCHEDULE_PREFIX,
  scheduleId,
  type FiringInput,
  type Overlap,
  type ScheduleOrigin,
  type ScheduleSettings,
} from '../shared/schedule';
import { FIRING_WORKFLOW } from '../workflows/contract';

/** A schedule as Temporal has it. */
export interface FoundSchedule extends FiringInput {
  description: ScheduleDescription;
}

const POLICIES: Readonly<Record<Overlap, ScheduleOverlapPolicy>> = {
  skip: 'SKIP',
  buffer_one: 'BUFFER_ONE',
  buffer_all: 'BUFFER_ALL',
  cancel_other: 'CANCEL_OTHER',
  allow_all: 'ALLOW_ALL',
};

export function overlapPolicy(overlap: Overlap): ScheduleOverlapPolicy {
  return POLICIES[overlap];
}

type Options = ScheduleOptions & { action: { type: 'startWorkflow' } };

function optionsOf(
  schedule: ScheduleSettings,
  origin: ScheduleOrigin,
  taskQueue: string,
): Pick<Options, 'spec' | 'action' | 'policies'> {
  const { name, cron, every_ms, timezone, overlap, catchup_ms } = schedule;
  const input: FiringInput = { schedule, origin };
  return {
    spec: cron === null ? { intervals: [{ every: every_ms! }], timezone } : { cronExpressions: cron, timezone },
    action: {
      type: 'startWorkflow',
      workflowType: FIRING_WORKFLOW,
      workflowId: firingWorkflowId(name),
      taskQueue,
      args: [input],
      staticSummary: `schedule ${inlineCode(name)}`,
    },
    policies: { overlap: POLICIES[overlap], catchupWindow: catchup_ms },
  };
}

/** @throws ScheduleAlreadyRunning if there is one of this name */
export async function createSchedule(
  client: Client,
  schedule: ScheduleSettings,
  origin: ScheduleOrigin,
  { taskQueue, paused }: { taskQueue: string; paused?: string },
): Promise<void> {
  await client.schedule.create({
    scheduleId: scheduleId(schedule.name),
    ...optionsOf(schedule, origin, taskQueue),
    ...(paused === undefined ? {} : { state: { paused: true, note: paused } }),
  });
}

/** Keeps whether it is paused, and its note. @throws ScheduleNotFoundError */
export async function updateSchedule(
  client: Client,
  schedule: ScheduleSettings,
  origin: ScheduleOrigin,
  taskQueue: string,
): Promise<void> {
  const handle = client.schedule.getHandle(scheduleId(schedule.name));
  await handle.update(({ state, policies }) => {
    const options = optionsOf(schedule, origin, taskQueue);
    return { ...options, policies: { ...policies, ...options.policies }, state };
  });
}

/** Null: there is none of this name, or it is not one of ours on this task queue. */
export async function findSchedule(client: Client, name: string, taskQueue: string): Promise<FoundSchedule | null> {
  try {
    return ourSchedule(await client.schedule.getHandle(scheduleId(name)).describe(), taskQueue);
  } catch (error) {
    if (isNotFound(error)) return null;
    throw error;
  }
}

/** Null: it starts other workflows, or on another task queue. */
function ourSchedule(description: ScheduleDescription, taskQueue: string): FoundSchedule | null {
  const { action } = description;
  if (action.type !== 'startWorkflow' || action.workflowType !== FIRING_WORKFLOW || action.taskQueue !== taskQueue) return null;
  const [input] = (action.args ?? []) as unknown as Partial<FiringInput>[];
  if (input?.schedule === undefined || scheduleId(input.schedule.name) !== description.scheduleId) return null;
  return { schedule: input.schedule, origin: input.origin ?? 'command', description };
}

/** Names of the schedules that start firings, on any task queue, in no order. Temporal's list is a moment behind. */
export async function* scheduleNames(client: Client): AsyncGenerator<string> {
  for await (const { scheduleId: id, action } of client.schedule.list())
    if (id.startsWith(SCHEDULE_PREFIX) && (action === undefined || action.workflowType === FIRING_WORKFLOW))
      yield id.slice(SCHEDULE_PREFIX.length);
}

function isNotFound(error: unknown): boolean {
  return (error as Error | null)?.name === 'ScheduleNotFoundError' || (isGrpcServiceError(error) && error.code === NOT_FOUND);
}

const NOT_FOUND = 5;
