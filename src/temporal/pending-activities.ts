/** Polls the server for progress and retries if no live bus delivers them: history lacks them while an activity runs. */
import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import { decodeArrayFromPayloads } from './sdk-private';
import type { LiveListener } from '../live/bus';
import { modelWaitText, readModelWait, type ModelWait } from '../shared/turn/turn-states';

const LOOK_EVERY = 500;
/** Types of activities that ask a model. */
const ASK_MODELS: ReadonlySet<string> = new Set(['takeStep', 'compact']);
const CODE = /^holdfast\.tool\.([A-Z_]{1,40})$/;

/** @returns a function that ends it */
export function watchPendingActivities(client: Client, workflowId: string, listener: LiveListener): () => void {
  const lastValues = new Map<string, string>();
  const stop = new AbortController();
  const look = async () => {
    while (!stop.signal.aborted) {
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY).unref());
      if (!stop.signal.aborted) await lookOnce(client, workflowId, lastValues, listener).catch(() => undefined);
    }
  };
  void look();
  return () => stop.abort();
}

async function lookOnce(
  client: Client,
  workflowId: string,
  lastValues: Map<string, string>,
  listener: LiveListener,
): Promise<void> {
  const description = await client.workflow.getHandle(workflowId).describe();
  if (description.status.name !== 'RUNNING') return;
  for (const activity of description.raw.pendingActivities ?? []) {
    const at = new Date().toISOString();
    const details = await detailsOf(client, workflowId, activity);
    const waits = ASK_MODELS.has(activity.activityType?.name ?? '') ? readModelWait(details?.waits_for) : null;
    if (waits !== null && typeof details?.step === 'number') {
      const text = modelWaitText(waits);
      const { step } = details;
      if (isNew(lastValues, `step ${step}`, text)) listener({ at, type: 'model_waiting', step, ...waits, text });
    }
    if (activity.activityType?.name !== 'runCall') continue;
    const call = (activity.activityId ?? '').split(':')[0]!;
    const progress = details?.progress;
    if (progress && isNew(lastValues, `${call} progress`, JSON.stringify(progress)))
      listener({ at, type: 'tool_progress', call, ...progress });
    const attempt = activity.attempt ?? 1;
    if (attempt > 1 && isNew(lastValues, `${call} attempt`, String(attempt))) {
      const next = activity.scheduledTime ? new Date(Number(activity.scheduledTime.seconds) * 1000).toISOString() : null;
      const { message = '', applicationFailureInfo } = await lastFailureOf(client, workflowId, activity);
      const code = CODE.exec(applicationFailureInfo?.type ?? '')?.[1] ?? null;
      listener({
        at,
        type: 'tool_retrying',
        call,
        attempt,
        max_retries: null,
        code,
        error: message ?? '',
        next_attempt_at: next,
      });
    }
  }
}

/** What a step of the turn waits for before a model is asked; null: nothing. */
export async function pendingModelWait(
  client: Client,
  { raw, workflowId }: WorkflowExecutionDescription,
): Promise<ModelWait | null> {
  for (const activity of raw.pendingActivities ?? []) {
    if (!ASK_MODELS.has(activity.activityType?.name ?? '')) continue;
    const waits = readModelWait((await detailsOf(client, workflowId, activity))?.waits_for);
    if (waits !== null) return waits;
  }
  return null;
}

/** Which freeze a call of the turn waits for, in words; null: none. */
export async function pendingFreeze(client: Client, { raw, workflowId }: WorkflowExecutionDescription): Promise<string | null> {
  for (const activity of raw.pendingActivities ?? []) {
    if (activity.activityType?.name !== 'waitForUnfreeze') continue;
    const { frozen } = (await detailsOf(client, workflowId, activity)) ?? {};
    if (typeof frozen === 'string') return frozen;
  }
  return null;
}

interface Details {
  frozen?: unknown;
  progress?: { message: string; fraction: number | null } | null;
  waits_for?: unknown;
  step?: unknown;
}

type PendingActivity = NonNullable<WorkflowExecutionDescription['raw']['pendingActivities']>[number];

/** The details of the last heartbeat; undefined: there was none, or it cannot be read. */
async function detailsOf(
  { options }: Client,
  workflowId: string,
  { heartbeatDetails }: PendingActivity,
): Promise<Details | undefined> {
  const payloads = heartbeatDetails?.payloads ?? [];
  const context = { type: 'activity' as const, namespace: options.namespace, workflowId, isLocal: false };
  const [details] = await decodeArrayFromPayloads(options.loadedDataConverter, payloads, context).catch(() => []);
  return typeof details === 'object' && details !== null ? details : undefined;
}

/** With its message, if that was encrypted and this client has the key. */
async function lastFailureOf({ options }: Client, workflowId: string, { lastFailure }: PendingActivity) {
  const [codec] = options.loadedDataConverter.payloadCodecs;
  if (lastFailure?.encodedAttributes && codec !== undefined) {
    const { decryptFailure } = await import('./history/decrypt.js');
    await decryptFailure(codec, { namespace: options.namespace, workflowId }, lastFailure).catch(() => undefined);
  }
  return lastFailure ?? {};
}

function isNew(lastValues: Map<string, string>, key: string, value: string): boolean {
  if (lastValues.get(key) === value) return false;
  lastValues.set(key, value);
  return true;
}
