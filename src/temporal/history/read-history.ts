/**
 * Reads the events of a workflow from Temporal, from its first run on, through continue-as-new and resets. All histories are read
 * here: events leave this module decrypted.
 */
import { WorkflowNotFoundError, type Client, type WorkflowExecutionDescription } from '@temporalio/client';
import type { temporal } from '@temporalio/proto';
import { NO_KEYS } from '../data-converter';

export type HistoryEvent = temporal.api.history.v1.IHistoryEvent;

export interface RunEvent {
  runId: string;
  /** From 1. */
  run: number;
  event: HistoryEvent;
  /** A reset begins its run with a copy of another run's events: they were read there. */
  copied: boolean;
  /** The last event of a run that a reset has replaced by another run. */
  superseded: boolean;
}

export interface Reading {
  /** Waits for further events, until the last run ends. */
  follow: boolean;
  stop?: AbortSignal;
}

/** From the first run that Temporal still has: it deletes each run some time after that run's end. @throws WorkflowNotFoundError */
export async function* readHistory(client: Client, workflowId: string, { follow, stop }: Reading): AsyncGenerator<RunEvent> {
  const description = await client.workflow.getHandle(workflowId).describe();
  const runIds = new Set<string>();
  let runId: string | null = await firstRun(client, workflowId, description);
  while (runId !== null) {
    runIds.add(runId);
    let next: string | null = null;
    let isCopy = false;
    for await (const event of readRun(client, { workflowId, runId }, { follow, ...(stop ? { stop } : {}) })) {
      const original = event.workflowExecutionStartedEventAttributes?.originalExecutionRunId;
      if (original && original !== runId && runIds.has(original)) isCopy = true;
      if (event.workflowTaskFailedEventAttributes?.newRunId === runId) isCopy = false; // here the reset took place
      next = event.workflowExecutionContinuedAsNewEventAttributes?.newExecutionRunId ?? null;
      const isLast = hasEnded(event) && next === null;
      if (isLast) next = await runAfterReset(client, workflowId, runIds, runId);
      yield { runId, run: runIds.size, event, copied: isCopy, superseded: isLast && next !== null };
    }
    runId = next;
  }
}

async function firstRun(client: Client, workflowId: string, { raw, runId }: WorkflowExecutionDescription): Promise<string> {
  const first = raw.workflowExecutionInfo?.firstRunId || runId;
  if (first === runId || (await isKept(client, workflowId, first))) return first;
  for (let oldest = runId; ;) {
    const before = await runBefore(client, { workflowId, runId: oldest });
    if (before === null || !(await isKept(client, workflowId, before))) return oldest;
    oldest = before;
  }
}

/** The run that this one continues, or of which a reset made it. */
async function runBefore(client: Client, execution: { workflowId: string; runId: string }): Promise<string | null> {
  for await (const { workflowExecutionStartedEventAttributes: start } of readRun(client, execution, { follow: false })) {
    const original = start?.originalExecutionRunId;
    return (original && original !== execution.runId ? original : start?.continuedExecutionRunId) || null;
  }
  return null;
}

async function isKept({ workflow }: Client, workflowId: string, runId: string): Promise<boolean> {
  try {
    await workflow.getHandle(workflowId, runId).describe();
    return true;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false;
    throw error;
  }
}

/** Null: there was no reset. */
async function runAfterReset(client: Client, workflowId: string, runIds: Set<string>, runId: string): Promise<string | null> {
  const { raw } = await client.workflow.getHandle(workflowId, runId).describe();
  const resetRunId = raw.workflowExtendedInfo?.resetRunId;
  if (resetRunId && !runIds.has(resetRunId)) return resetRunId;
  const present = (await client.workflow.getHandle(workflowId).describe()).runId;
  return runIds.has(present) ? null : present;
}

function hasEnded(event: HistoryEvent): boolean {
  return Boolean(
    event.workflowExecutionCompletedEventAttributes ??
    event.workflowExecutionFailedEventAttributes ??
    event.workflowExecutionCanceledEventAttributes ??
    event.workflowExecutionTerminatedEventAttributes ??
    event.workflowExecutionTimedOutEventAttributes,
  );
}

/** The events of one run. @throws NoCodecKeys, MissingKey for events that this client cannot decrypt */
export async function* readRun(
  client: Client,
  execution: { workflowId: string; runId: string },
  { follow, stop }: Reading,
): AsyncGenerator<HistoryEvent> {
  const { connection, namespace } = client.workflow.options as unknown as { connection: Client['connection']; namespace: string };
  let nextPageToken: Uint8Array = new Uint8Array();
  do {
    const request = { namespace, execution, nextPageToken, waitNewEvent: follow, maximumPageSize: 200 };
    const page = () => connection.workflowService.getWorkflowExecutionHistory(request);
    const response = await (stop ? connection.withAbortSignal(stop, page) : page());
    const events = response.history?.events ?? [];
    await decrypt(client, execution.workflowId, events);
    yield* events;
    nextPageToken = response.nextPageToken ?? new Uint8Array();
  } while (nextPageToken.length > 0 && !stop?.aborted);
}

/** The whole history of one run. @throws WorkflowNotFoundError; NoCodecKeys, MissingKey as `readRun` */
export async function fetchHistory(client: Client, workflowId: string, runId?: string): Promise<temporal.api.history.v1.History> {
  const history = await client.workflow.getHandle(workflowId, runId).fetchHistory();
  await decrypt(client, workflowId, history.events ?? []);
  return history as temporal.api.history.v1.History;
}

/** Loads the code for that only where there are keys. Without keys, the first event shows whether a run is encrypted. */
async function decrypt({ options }: Client, workflowId: string, events: readonly HistoryEvent[]): Promise<void> {
  const [codec] = options.loadedDataConverter.payloadCodecs;
  if (codec === undefined || events.length === 0) return;
  const { decryptEvents } = await import('./decrypt.js');
  const of = { namespace: options.namespace, workflowId };
  await decryptEvents(codec, of, codec === NO_KEYS ? events.filter((event) => String(event.eventId) === '1') : events);
}

/** ISO 8601, the server's clock. */
export function timeOf({ eventTime }: HistoryEvent): string {
  return new Date(Number(eventTime?.seconds ?? 0) * 1000 + Math.floor((eventTime?.nanos ?? 0) / 1e6)).toISOString();
}
