/** What Temporal's server says of itself and of the namespace, for `doctor --production` and `--cloud`. */
import type { Connection } from '@temporalio/client';

export interface ServerFacts {
  /** Empty: it does not say. */
  version: string;
  /** How long ended workflows are kept, ms; null: it does not say. */
  retentionMs: number | null;
  /** Largest payload, bytes; null: it does not say. */
  blobLimit: number | null;
  /** When a worker last asked for work, by the clock of the server, ms since 1970; null: none did lately. */
  lastPollMs: number | null;
}

/** @throws if the server does not answer */
export async function serverFacts(
  { workflowService }: Pick<Connection, 'workflowService'>,
  namespace: string,
  taskQueue: string,
): Promise<ServerFacts> {
  const [system, described, queue] = await Promise.all([
    workflowService.getSystemInfo({}),
    workflowService.describeNamespace({ namespace }),
    workflowService.describeTaskQueue({ namespace, taskQueue: { name: taskQueue }, taskQueueType: 1 }).catch(() => null),
  ]);
  const retention = described.config?.workflowExecutionRetentionTtl?.seconds;
  const blobLimit = Number(described.namespaceInfo?.limits?.blobSizeLimitError ?? 0);
  const polls = (queue?.pollers ?? []).flatMap(({ lastAccessTime }) =>
    lastAccessTime ? [Number(lastAccessTime.seconds) * 1000 + (lastAccessTime.nanos ?? 0) / 1e6] : [],
  );
  return {
    version: system.serverVersion ?? '',
    retentionMs: retention === null || retention === undefined ? null : Number(retention) * 1000,
    blobLimit: blobLimit > 0 ? blobLimit : null,
    lastPollMs: polls.length === 0 ? null : Math.max(...polls),
  };
}
