/** Polls the server for progress and retries if no live bus delivers them: history lacks them while an activity runs. */
import type { Client } from '@temporalio/client';
import { decodeArrayFromPayloads } from './sdk-private';
import type { LiveListener } from '../live/bus';

const LOOK_EVERY = 500;
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
    if (activity.activityType?.name !== 'runCall') continue;
    const call = (activity.activityId ?? '').split(':')[0]!;
    const payloads = activity.heartbeatDetails?.payloads ?? [];
    const [details] = (await decodeArrayFromPayloads(client.options.loadedDataConverter, payloads).catch(() => [])) as [
      { progress?: { message: string; fraction: number | null } | null } | undefined,
    ];
    const at = new Date().toISOString();
    const progress = details?.progress;
    if (progress && isNew(lastValues, `${call} progress`, JSON.stringify(progress)))
      listener({ at, type: 'tool_progress', call, ...progress });
    const attempt = activity.attempt ?? 1;
    if (attempt > 1 && isNew(lastValues, `${call} attempt`, String(attempt))) {
      const next = activity.scheduledTime ? new Date(Number(activity.scheduledTime.seconds) * 1000).toISOString() : null;
      const { message = '', applicationFailureInfo } = activity.lastFailure ?? {};
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

function isNew(lastValues: Map<string, string>, key: string, value: string): boolean {
  if (lastValues.get(key) === value) return false;
  lastValues.set(key, value);
  return true;
}
