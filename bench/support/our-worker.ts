/** A worker of ours with a store of its own, and a client on the same connection. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@temporalio/client';
import type { NativeConnection, Worker } from '@temporalio/worker';
import { FileTrust } from '../../src/attestation/file-trust';
import type { App } from '../../src/agents/define';
import { HoldfastClient } from '../../src/client';
import { dataConverter } from '../../src/temporal/data-converter';
import type { ModelProvider } from '../../src/model/provider';
import { FileStore } from '../../src/store/files/file-store';
import { openStore } from '../../src/store/open-store';
import { openTraces } from '../../src/telemetry/traces/open';
import { createWorker } from '../../src/worker';
import { OUR_TASK_QUEUE } from './task-queues';

const SILENT = { debug() {}, info() {}, warn() {}, error() {} };

export async function ourWorker(
  connection: NativeConnection,
  {
    trustedKeys,
    store,
    otlp,
    cachedWorkflows,
    ...parts
  }: {
    app: App;
    model: ModelProvider;
    trustedKeys?: string | undefined;
    store?: string | undefined;
    otlp?: string | undefined;
    cachedWorkflows?: number | undefined;
  },
): Promise<{ worker: Worker; client: HoldfastClient }> {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-bench-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const settings = { taskQueue: OUR_TASK_QUEUE, uiUrl: null, eagerStart: true };
  const client = new HoldfastClient(new Client({ connection, dataConverter }), settings);
  const worker = await createWorker({
    ...parts,
    connection,
    approvals: 'any',
    namespace: 'default',
    taskQueue: OUR_TASK_QUEUE,
    store: await (store === undefined ? FileStore.open(folder) : openStore(store)),
    defaultModel: 'bench',
    log: SILENT,
    traces: otlp === undefined ? null : openTraces({ url: otlp, content: false }, 'bench'),
    ...(cachedWorkflows === undefined ? {} : { options: { maxCachedWorkflows: cachedWorkflows } }),
    ...(trustedKeys === undefined ? {} : { trust: new FileTrust({ path: trustedKeys, namespace: 'default', log: SILENT }) }),
  });
  return { worker, client };
}
