/** Follows a turn: its history by long poll, and what runs right now by looking at the pending activities. */
import { setMaxListeners } from 'node:events';
import { WorkflowNotFoundError, type Client } from '@temporalio/client';
import { decodeArrayFromPayloads } from '@temporalio/common/lib/internal-non-workflow';
import { TurnNotFound } from './errors';
import { EventReader, type TurnEvent } from './events';

const LOOK_EVERY = 500;

/**
 * Yields the events of a turn from its beginning to its end, over continue-as-new.
 * @param signal ends the watch; nothing is thrown
 * @throws TurnNotFound
 */
export async function* watchTurn(
  client: Client,
  turnId: string,
  workflowId: string,
  signal?: AbortSignal,
): AsyncGenerator<TurnEvent> {
  const queue: TurnEvent[] = [];
  let wake: () => void = () => undefined;
  let ended = false;
  let failure: unknown;
  const push = (events: TurnEvent[]) => {
    if (ended) return; // what a look at running calls brings late
    queue.push(...events);
    if (events.some((event) => event.type === 'turn_completed')) ended = true;
    wake();
  };
  const stop = new AbortController();
  setMaxListeners(0, stop.signal); // one listener for each long poll
  const finish = (error?: unknown) => {
    failure ??= error;
    ended = true;
    wake();
  };
  if (signal?.aborted) return;
  const abort = () => finish();
  signal?.addEventListener('abort', abort, { once: true });

  void followHistory(client, workflowId, push, stop.signal).then(finish, finish);
  void lookAtPending(client, workflowId, push, stop.signal);
  try {
    for (;;) {
      const event = queue.shift();
      if (event) yield event;
      else if (ended) break;
      else await new Promise<void>((resolve) => (wake = resolve));
    }
    if (failure !== undefined && !signal?.aborted)
      throw failure instanceof WorkflowNotFoundError ? new TurnNotFound(turnId) : failure;
  } finally {
    signal?.removeEventListener('abort', abort);
    stop.abort();
  }
}

type Push = (events: TurnEvent[]) => void;

/** From the first run on, over continue-as-new; ends with the last run. */
async function followHistory(client: Client, workflowId: string, push: Push, stop: AbortSignal): Promise<void> {
  const description = await client.workflow.getHandle(workflowId).describe();
  let runId: string | null = description.raw.workflowExecutionInfo?.firstRunId || description.runId;
  while (runId !== null) runId = await followRun(client, { workflowId, runId }, push, stop);
}

/** @returns the run that continues this one, or null at the end */
async function followRun(
  client: Client,
  execution: { workflowId: string; runId: string },
  push: Push,
  stop: AbortSignal,
): Promise<string | null> {
  const { loadedDataConverter } = client.options;
  const { connection, namespace } = client.workflow.options as unknown as { connection: Client['connection']; namespace: string };
  const reader = new EventReader((payloads) => decodeArrayFromPayloads(loadedDataConverter, payloads ?? []));
  let nextPageToken: Uint8Array = new Uint8Array();
  do {
    const request = { namespace, execution, nextPageToken, waitNewEvent: true, maximumPageSize: 200 };
    const response = await connection.withAbortSignal(stop, () =>
      connection.workflowService.getWorkflowExecutionHistory(request),
    );
    for (const event of response.history?.events ?? []) {
      push(await reader.read(event));
      const next = event.workflowExecutionContinuedAsNewEventAttributes?.newExecutionRunId;
      if (next) return next;
    }
    nextPageToken = response.nextPageToken ?? new Uint8Array();
  } while (nextPageToken.length > 0 && !stop.aborted);
  return null;
}

/** Progress and retries are not in history while an activity runs; the server knows them all the same. */
async function lookAtPending(client: Client, workflowId: string, push: Push, stop: AbortSignal): Promise<void> {
  const seen = new Map<string, string>();
  const { loadedDataConverter } = client.options;
  while (!stop.aborted) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY));
    const description = await client.workflow
      .getHandle(workflowId)
      .describe()
      .catch(() => undefined);
    if (!description || description.status.name !== 'RUNNING') continue;
    for (const activity of description.raw.pendingActivities ?? []) {
      if (activity.activityType?.name !== 'runCall') continue;
      const call = (activity.activityId ?? '').split(':')[0]!;
      const [details] = (await decodeArrayFromPayloads(loadedDataConverter, activity.heartbeatDetails?.payloads ?? []).catch(
        () => [],
      )) as [{ progress?: { message: string; fraction: number | null } | null } | undefined];
      const at = new Date().toISOString();
      const progress = details?.progress;
      if (progress && isNew(seen, `${call} progress`, JSON.stringify(progress)))
        push([{ at, type: 'tool_progress', call, ...progress }]);
      const attempt = activity.attempt ?? 1;
      if (attempt > 1 && isNew(seen, `${call} attempt`, String(attempt))) {
        const next = activity.scheduledTime ? new Date(Number(activity.scheduledTime.seconds) * 1000).toISOString() : null;
        push([{ at, type: 'tool_retrying', call, attempt, error: activity.lastFailure?.message ?? '', next_attempt_at: next }]);
      }
    }
  }
}

function isNew(seen: Map<string, string>, key: string, value: string): boolean {
  if (seen.get(key) === value) return false;
  seen.set(key, value);
  return true;
}
