/**
 * Measures what a turn costs, for {bare loop, holdfast} × servers, as users run it: worker, client and model each in a process of
 * its own. On each server the two sides alternate, block by block, so that a drift of the machine affects both.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import { startDevServer } from '../src/devserver/dev-server';
import { findTemporalCli } from '../src/devserver/find-cli';
import { startNativeCluster } from '../test/system/support/native-cluster';
import { whyNoNativeCluster } from '../test/system/support/native-binaries';
import { startModelServer, type ModelServer } from './support/model-process';
import { cpuMs, proportionalMb, treeOf } from './support/process-figures';
import { median, quantile } from './support/quantile';
import { Side } from './support/side-process';
import type { SideOptions } from './support/side';
import { SHORT_TURN } from './support/workload';

/** `default`: a dev server with Temporal's own settings. The others have the settings of docker/dynamicconfig.yaml. */
export const SERVERS = ['default', 'memory', 'file', 'cluster'] as const;
export type ServerKind = (typeof SERVERS)[number];

export interface SpeedOptions {
  servers: readonly ServerKind[];
  /** Turns that run one after the other, in each cell. */
  turns: number;
  /** Turns that run at once; `loadTurns`: how many such turns in each cell. */
  atOnce: number;
  loadTurns: number;
  /** Folder for CPU profiles of the workers: a file for each thread. */
  profile?: string;
}

export interface Cell {
  side: string;
  server: ServerKind;
  medianMs: number;
  p99Ms: number;
  turnsPerSecond: number;
  /** CPU time per turn, ms, while turns run one after the other. */
  workerCpuMs: number;
  clientCpuMs: number;
  serverCpuMs: number;
  /** CPU time per turn, ms, while many run at once. */
  loadedWorkerCpuMs: number;
  /** Workflow tasks of one turn, one after the other and with many at once. */
  workflowTasks: number;
  loadedWorkflowTasks: number;
  /** Proportional set size at the end. */
  workerMb: number;
}

/** The server's own defaults, which the embedded server overrides. */
const DEFAULTS = { 'history.transferProcessorMaxPollRPS': 20, 'system.enableActivityEagerExecution': false };
const BLOCK = 10;
const ROUNDS = 3;
/** Most histories that are read to count workflow tasks. */
const HISTORIES = 20;

interface Server {
  address: string;
  /** Ids of the server's processes. */
  pids(): number[];
  /** URL of a database for a store; null: it has none. */
  store: string | null;
  stop(): Promise<void>;
}

export async function speed(options: SpeedOptions, say: (line: string) => void): Promise<Cell[]> {
  const cells: Cell[] = [];
  const model = await startModelServer(SHORT_TURN);
  try {
    for (const server of options.servers) {
      const missing = server === 'cluster' ? whyNoNativeCluster() : null;
      say(missing ? `no native cluster: ${missing}` : `server: ${server}`);
      if (!missing) cells.push(...(await onServer(server, model, options, say)));
    }
  } finally {
    model.stop();
  }
  return cells;
}

async function startServer(kind: ServerKind, say: (line: string) => void): Promise<Server> {
  if (kind === 'cluster') {
    const { address, stop, pids, store } = await startNativeCluster();
    return { address, stop, pids: () => pids().flatMap(treeOf), store };
  }
  const { path: cli } = await findTemporalCli({ onProgress: say });
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-bench-'));
  const { address, pid, stop } = await startDevServer({
    ...{ cli, port: 0, headless: true },
    ...(kind === 'default' ? { dynamicConfig: DEFAULTS } : {}),
    ...(kind === 'file' ? { dbFilename: join(folder, 'temporal.db') } : {}),
  });
  const stopAll = () => stop().finally(() => rmSync(folder, { recursive: true, force: true }));
  return { address, pids: () => [pid], store: null, stop: stopAll };
}

/** Worker and client of one side, with their measurements. */
interface Contender {
  name: string;
  worker: Side;
  client: Side;
  sample: Sample;
}

interface Sample {
  took: number[];
  turnsPerSecond: number[];
  workerCpu: number[];
  clientCpu: number[];
  serverCpu: number[];
  loadedWorkerCpu: number[];
  /** Workflow ids of the last turns, one after the other and with many at once. */
  ids: string[];
  loadedIds: string[];
}

async function onServer(
  kind: ServerKind,
  model: ModelServer,
  options: SpeedOptions,
  say: (line: string) => void,
): Promise<Cell[]> {
  const server = await startServer(kind, say);
  const contenders: Contender[] = [];
  const contend = async (name: string, side: Pick<SideOptions, 'kind' | 'store'>) => {
    const common = { ...side, address: server.address, script: SHORT_TURN, modelUrl: model.url };
    const profile = options.profile && join(options.profile, kind, side.kind);
    const worker = await Side.start({ ...common, role: 'worker' }, profile);
    const client = await Side.start({ ...common, role: 'client' });
    const figures = { took: [], turnsPerSecond: [], workerCpu: [], clientCpu: [], serverCpu: [], loadedWorkerCpu: [] };
    contenders.push({ name, worker, client, sample: { ...figures, ids: [], loadedIds: [] } });
  };
  try {
    await contend('bare loop', { kind: 'naive' });
    await contend('holdfast', { kind: 'ours', ...(server.store === null ? {} : { store: server.store }) });
    for (const { client } of contenders) await client.run({ count: 2 * BLOCK, atOnce: 4 });
    for (let done = 0; done < options.turns; done += BLOCK) {
      for (const contender of contenders) await sequential(contender, server);
      say(`  ${done + BLOCK} of ${options.turns} turns, one after the other`);
    }
    for (let round = 1; round <= ROUNDS; round++) {
      for (const contender of contenders) await atOnce(contender, options);
      say(`  round ${round} of ${ROUNDS} with ${options.atOnce} at once`);
    }
    return await cellsOf(contenders, kind, server.address);
  } finally {
    await Promise.all(contenders.flatMap(({ worker, client }) => [worker.stop(), client.stop()]));
    await server.stop();
  }
}

async function sequential({ worker, client, sample }: Contender, server: Server): Promise<void> {
  const now = () => ({ worker: cpuMs(worker.pid), client: cpuMs(client.pid), server: sum(server.pids().map(cpuMs)) });
  const before = now();
  const { took, ids } = await client.run({ count: BLOCK, atOnce: 1 });
  const after = now();
  sample.took.push(...took);
  sample.ids = ids;
  sample.workerCpu.push((after.worker - before.worker) / BLOCK);
  sample.clientCpu.push((after.client - before.client) / BLOCK);
  sample.serverCpu.push((after.server - before.server) / BLOCK);
}

async function atOnce({ worker, client, sample }: Contender, options: SpeedOptions): Promise<void> {
  const before = cpuMs(worker.pid);
  const { took, wallMs, ids } = await client.run({ count: options.loadTurns, atOnce: options.atOnce });
  sample.turnsPerSecond.push((took.length * 1000) / wallMs);
  sample.loadedIds = ids.slice(-HISTORIES);
  sample.loadedWorkerCpu.push((cpuMs(worker.pid) - before) / took.length);
}

async function cellsOf(contenders: Contender[], server: ServerKind, address: string): Promise<Cell[]> {
  const connection = await Connection.connect({ address });
  try {
    const client = new Client({ connection });
    return await Promise.all(contenders.map((contender) => cellOf(contender, server, client)));
  } finally {
    await connection.close();
  }
}

async function cellOf({ name, worker, sample }: Contender, server: ServerKind, client: Client): Promise<Cell> {
  return {
    side: name,
    server,
    medianMs: median(sample.took),
    p99Ms: quantile(sample.took, 0.99),
    turnsPerSecond: median(sample.turnsPerSecond),
    workerCpuMs: median(sample.workerCpu),
    clientCpuMs: median(sample.clientCpu),
    serverCpuMs: median(sample.serverCpu),
    loadedWorkerCpuMs: median(sample.loadedWorkerCpu),
    workflowTasks: await workflowTasks(client, sample.ids),
    loadedWorkflowTasks: await workflowTasks(client, sample.loadedIds),
    workerMb: proportionalMb(worker.pid),
  };
}

/** Mean number of workflow tasks in these workflows. */
async function workflowTasks(client: Client, ids: string[]): Promise<number> {
  const { EVENT_TYPE_WORKFLOW_TASK_COMPLETED } = temporal.api.enums.v1.EventType;
  let tasks = 0;
  for (const id of ids) {
    const { events } = await client.workflow.getHandle(id).fetchHistory();
    tasks += (events ?? []).filter(({ eventType }) => eventType === EVENT_TYPE_WORKFLOW_TASK_COMPLETED).length;
  }
  return tasks / ids.length;
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
