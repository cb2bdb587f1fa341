/**
 * Sends an update whose sender waits for a limited time (shared/wire/waits.ts), and finds out its fate if no answer came: taken,
 * with or without an answer yet; not taken, and too late to be; or unknown.
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
import { errorMessage } from '../shared/text/error-message';

/** One update, with one id however often it is sent. */
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

  /** From then on the update is too late, even if the clocks differ. */
  get deadline(): number {
    return this.until + CLOCKS_APART_MS;
  }
}

export type Fate<R> = { taken: 'answered'; answer: R } | MissingAnswer;
export type MissingAnswer =
  | { taken: 'no answer yet' }
  /** Nor will it be taken later. */
  | { taken: 'no' }
  | { taken: 'unknown'; why: string };

/** A workflow task that began in time may be answered until then, ms: the server's limit for a task. */
const TASK_MS = 10_000;
/** For one request to the server. */
const LOOK_MS = 5_000;
/** How long to wait for the answer of an update that was taken, ms. */
const ANSWER_MS = 15_000;
const POLL_EVERY = 200;

const { PENDING_WORKFLOW_TASK_STATE_STARTED: STARTED } = temporal.api.enums.v1.PendingWorkflowTaskState;
const { UPDATE_WORKFLOW_EXECUTION_LIFECYCLE_STAGE_ACCEPTED: ACCEPTED } =
  temporal.api.enums.v1.UpdateWorkflowExecutionLifecycleStage;
const NOT_FOUND = 5;

/**
 * Sends an update, and returns its fate. Sends it once more if the answer is the refusal of an earlier update of the same id,
 * whose sender no longer waits.
 * @param ask sends it; its deadline is set here
 * @param run the present one: the workflow may continue in another
 * @throws WorkflowUpdateFailedError if that is its answer; WorkflowNotFoundError; refusals by the server
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

/** Finds out the fate of an update without an answer; waits until it is certain. */
export async function fateOf<R>(client: Client, workflowId: string, runs: string[], sending: Sending): Promise<Fate<R>> {
  try {
    await sleep(Math.max(0, sending.deadline - Date.now()));
    return await takenIn(client, workflowId, [await tasksOver(client, workflowId, sending), ...runs], sending);
  } catch (error) {
    if (error instanceof WorkflowUpdateFailedError) throw error;
    if (error instanceof WorkflowNotFoundError) return { taken: 'no' };
    return { taken: 'unknown', why: errorMessage(error) };
  }
}

/** gRPC codes of an answer that leaves no doubt: the server has not accepted the update. */
const REFUSAL_CODES = new Set([3, 7, 8, 12, 16]);

/** An update that failed with such an error may be with the workflow, or reach it later. */
export function mayBeTaken(error: unknown): boolean {
  if (error instanceof WorkflowUpdateFailedError || error instanceof WorkflowNotFoundError) return false;
  const { cause } = error as { cause?: unknown };
  const fault = [error, cause].find((one) => isGrpcServiceError(one));
  if (isGrpcServiceError(fault)) return !REFUSAL_CODES.has(fault.code);
  return error instanceof WorkflowUpdateRPCTimeoutOrCancelledError;
}

/** The update was refused because its sender no longer waited. */
export function cameTooLate(error: unknown): boolean {
  return error instanceof WorkflowUpdateFailedError && (error.cause as { type?: string } | undefined)?.type === TOO_LATE;
}

/**
 * Waits until no workflow task is in progress that began in time.
 * @returns the present run
 * @throws if the clocks are too far apart
 */
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

/** The fate of an update, as these runs know it: taken by one of them, or by none. */
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
