/**
 * An update whose sender waits for a while (shared/wire/waits.ts), and what became of it where no answer came: taken, with an
 * answer or without one yet; not taken, and too late to be; or nobody can tell.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  isGrpcServiceError,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
  type Client,
} from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import { CLOCKS_APART_MS, TOO_LATE, WAITS_MS, type Waits } from '../shared/wire/waits';

/** One thing that is sent, under one name however often it goes out. */
export class Sending {
  readonly at = Date.now();
  readonly until: number;
  readonly waits: Waits;

  constructor(
    readonly id: string = randomUUID(),
    waitsMs = WAITS_MS,
  ) {
    this.until = this.at + waitsMs;
    this.waits = { until: new Date(this.until).toISOString() };
  }

  /** From then on it is too late for it, whatever the clocks say. */
  get deadline(): number {
    return this.until + CLOCKS_APART_MS;
  }
}

export type Fate<R> = { taken: 'answered'; answer: R } | MissingAnswer;
export type MissingAnswer =
  | { taken: 'no answer yet' }
  /** And it will not be. */
  | { taken: 'no' }
  | { taken: 'unknown'; why: string };

/** A workflow task that has begun in time may be answered until then, ms: the server's limit for one. */
const TASK_MS = 10_000;
/** For one look at it. */
const LOOK_MS = 5_000;
/** How long the answer of what was taken is waited for, ms. */
const ANSWER_MS = 15_000;
const POLL_EVERY = 200;

const { PENDING_WORKFLOW_TASK_STATE_STARTED: STARTED } = temporal.api.enums.v1.PendingWorkflowTaskState;
const { UPDATE_WORKFLOW_EXECUTION_LIFECYCLE_STAGE_ACCEPTED: ACCEPTED } =
  temporal.api.enums.v1.UpdateWorkflowExecutionLifecycleStage;
const NOT_FOUND = 5;

/**
 * Sends an update, and says what became of it. It goes out once more where an earlier one of its name, whose sender no longer
 * waits, was refused in its place.
 * @param ask sends it; its deadline is set here
 * @param run the present one: the workflow may go on in another
 * @throws WorkflowUpdateFailedError where that is its answer; WorkflowNotFoundError; what the server refuses
 */
export async function sendInTime<R>(
  client: Client,
  workflowId: string,
  sending: Sending,
  ask: () => Promise<R>,
  run?: string,
): Promise<Fate<R>> {
  const runs = run === undefined ? [] : [run];
  try {
    const again = async (error: unknown) => {
      if (!cameTooLate(error) || Date.now() >= sending.until) throw error;
      await sleep(POLL_EVERY);
      return ask();
    };
    return { taken: 'answered', answer: await client.withDeadline(sending.deadline, () => ask().catch(again)) };
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) {
      const fate = await takenIn<R>(client, workflowId, runs, sending);
      if (fate.taken === 'no') throw error;
      return fate;
    }
    if (!mayBeTaken(error)) throw error;
    return fateOf<R>(client, workflowId, runs, sending);
  }
}

/** What became of an update that got no answer; waits until it can be said. */
export async function fateOf<R>(client: Client, workflowId: string, runs: string[], sending: Sending): Promise<Fate<R>> {
  try {
    await sleep(Math.max(0, sending.deadline - Date.now()));
    return await takenIn(client, workflowId, [await tasksOver(client, workflowId, sending), ...runs], sending);
  } catch (error) {
    if (error instanceof WorkflowUpdateFailedError) throw error;
    if (error instanceof WorkflowNotFoundError) return { taken: 'no' };
    return { taken: 'unknown', why: error instanceof Error ? error.message : String(error) };
  }
}

/** The server has answered, and what it says leaves no doubt: the update is not with it. */
const REFUSAL_CODES = new Set([3, 7, 8, 12, 16]);

/** An update that ended so may be with the workflow, or come to it yet. */
export function mayBeTaken(error: unknown): boolean {
  if (error instanceof WorkflowUpdateFailedError || error instanceof WorkflowNotFoundError) return false;
  const { cause } = error as { cause?: unknown };
  const fault = [error, cause].find((one) => isGrpcServiceError(one));
  if (isGrpcServiceError(fault)) return !REFUSAL_CODES.has(fault.code);
  return error instanceof WorkflowUpdateRPCTimeoutOrCancelledError;
}

/** An update that was refused because its sender no longer waited. */
export function cameTooLate(error: unknown): boolean {
  return error instanceof WorkflowUpdateFailedError && (error.cause as { type?: string } | undefined)?.type === TOO_LATE;
}

/** Once no workflow task is under way that began in time. @returns the present run @throws where the clocks are too far apart */
async function tasksOver(client: Client, workflowId: string, { at, deadline }: Sending): Promise<string> {
  for (;;) {
    const look = () => client.workflow.getHandle(workflowId).describe();
    const { runId, raw } = await client.withDeadline(Date.now() + LOOK_MS, look);
    const task = raw.pendingWorkflowTask;
    const behind = at - msOf(task?.scheduledTime);
    if (behind > CLOCKS_APART_MS)
      throw new Error(`the clock of the Temporal server is behind by ${Math.ceil(behind / 1000)} s or more; set the clocks`);
    if (task?.state !== STARTED || Date.now() > deadline + TASK_MS) return runId;
    await sleep(POLL_EVERY);
  }
}

function msOf(time: temporal.api.workflow.v1.IPendingWorkflowTaskInfo['scheduledTime']): number {
  return time ? Number(time.seconds ?? 0) * 1000 + (time.nanos ?? 0) / 1e6 : NaN;
}

/** What became of an update that is with none of these runs any more, if it does not say so itself. */
export async function takenIn<R>(client: Client, workflowId: string, runs: string[], sending: Sending): Promise<Fate<R>> {
  for (const run of new Set(runs))
    if (await wasTaken(client, workflowId, run, sending)) return answerOf<R>(client, workflowId, run, sending);
  return { taken: 'no' };
}

async function wasTaken(client: Client, workflowId: string, runId: string, { id }: Sending): Promise<boolean> {
  const { namespace } = client.options;
  const updateRef = { workflowExecution: { workflowId, runId }, updateId: id };
  try {
    const ask = () => client.workflowService.pollWorkflowExecutionUpdate({ namespace, updateRef });
    return ((await client.withDeadline(Date.now() + LOOK_MS, ask)).stage ?? 0) >= ACCEPTED;
  } catch (error) {
    if (isGrpcServiceError(error) && error.code === NOT_FOUND) return false;
    throw error;
  }
}

async function answerOf<R>(client: Client, workflowId: string, runId: string, { id }: Sending): Promise<Fate<R>> {
  const handle = client.workflow.getHandle(workflowId, runId).getUpdateHandle<R>(id, { workflowRunId: runId });
  try {
    return { taken: 'answered', answer: await client.withDeadline(Date.now() + ANSWER_MS, () => handle.result()) };
  } catch (error) {
    if (error instanceof WorkflowUpdateFailedError) throw error;
    return { taken: 'no answer yet' };
  }
}
