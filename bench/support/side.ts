/**
 * One side of the comparison as a process of its own, so that its CPU time and memory can be measured: a worker, and beside it
 * the client that starts turns, as in a service that embeds its worker; or only one of the two. It takes batches over IPC, and
 * answers with the time of each turn.
 */
import { randomUUID } from 'node:crypto';
import { Client, Connection } from '@temporalio/client';
import { bundleWorkflowCode, DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { naiveActivities } from './naive-activities';
import { AGENT, BenchModel, benchApp } from './our-app';
import { ourWorker } from './our-worker';
import { HoldfastClient } from '../../src/client';
import { AnthropicProvider } from '../../src/model/anthropic/provider';
import { dataConverter } from '../../src/temporal/data-converter';
import { EMPTY_TASK_QUEUE, NAIVE_TASK_QUEUE, OUR_TASK_QUEUE } from './task-queues';
import type { Script } from './workload';

export interface SideOptions {
  /** `empty`: a worker with a workflow that does nothing. */
  kind: 'naive' | 'ours' | 'empty';
  address: string;
  script: Script;
  /** Absent: both in one process. */
  role?: 'worker' | 'client';
  /** URL of the scripted model; absent: it answers in the worker's process. */
  modelUrl?: string;
  /** For `ours`: the store, as in HOLDFAST_STORE; absent: files in a folder of its own. */
  store?: string;
  /** For `ours`: the file of keys whose signatures count. */
  trustedKeys?: string;
  /** For `ours`: the collector that gets the traces; absent: none. */
  otlp?: string;
  /** For `ours`: how many workflows its worker keeps in memory; absent: the default. */
  cachedWorkflows?: number;
  /** Report the time of each model request, if the model is in the worker's process. */
  tellRequests?: boolean;
}

export interface Batch {
  count: number;
  atOnce: number;
  /** Do not wait for the turns' ends. */
  startOnly?: boolean;
}

/** All messages of a side. */
export type Said =
  | { said: 'ready' }
  | { said: 'batch'; result: BatchResult }
  | { said: 'paid'; key: string; at: number }
  | ({ said: 'asked' } & ModelRequestAt);

/** A model request: its time, and the worker's CPU time until then, ms. */
export interface ModelRequestAt {
  at: number;
  cpuMs: number;
}

export interface BatchResult {
  /** Milliseconds of each turn, from start to result. */
  took: number[];
  wallMs: number;
  /** Workflow ids, in the order in which the turns ended. */
  ids: string[];
  /** Turns that failed, with the reason. */
  failed: string[];
}

interface Turn {
  workflowId: string;
  result(): Promise<unknown>;
}
type StartTurn = () => Promise<Turn>;

const say = (message: Said) => process.send?.(message);

async function main(options: SideOptions): Promise<void> {
  if (options.role === 'client') return clientAlone(options);
  Runtime.install({ logger: new DefaultLogger('ERROR'), telemetryOptions: { logging: { forward: {}, filter: 'ERROR' } } });
  const connection = await NativeConnection.connect({ address: options.address });
  const { worker, start } = await SIDES[options.kind](connection, options);
  const finished = worker.run();
  takeBatches(start, () => worker.getState() === 'RUNNING' && worker.shutdown());
  await finished;
  await connection.close();
  if (process.connected) process.disconnect();
}

function takeBatches(start: StartTurn, stop: () => unknown): void {
  process.on('message', (batch: Batch | 'stop') => {
    if (batch === 'stop') stop();
    else void runBatch(batch, start).then((result) => say({ said: 'batch', result }));
  });
  process.once('disconnect', stop);
  say({ said: 'ready' });
}

async function clientAlone({ kind, address }: SideOptions): Promise<void> {
  const connection = await Connection.connect({ address });
  const ours = new HoldfastClient(new Client({ connection, dataConverter }), { taskQueue: OUR_TASK_QUEUE, uiUrl: null });
  const start: StartTurn =
    kind === 'ours' ? () => ours.start({ agent: AGENT, message: 'Look up.' }) : naiveStart(new Client({ connection }));
  takeBatches(start, () => void connection.close().then(() => process.connected && process.disconnect()));
}

type MadeSide = (connection: NativeConnection, options: SideOptions) => Promise<{ worker: Worker; start: StartTurn }>;
const SIDES: Record<SideOptions['kind'], MadeSide> = { naive, ours, empty };

async function naive(connection: NativeConnection, { script, modelUrl, tellRequests }: SideOptions): ReturnType<MadeSide> {
  const workflowBundle = await bundleOf(require.resolve('./naive-workflow'));
  const activities = naiveActivities(script, modelUrl ?? null, tellRequests ? tellRequest : undefined);
  const worker = await Worker.create({
    connection,
    taskQueue: NAIVE_TASK_QUEUE,
    workflowBundle,
    activities: { ...activities },
  });
  return { worker, start: naiveStart(new Client({ connection })) };
}

function naiveStart(client: Client): StartTurn {
  let turns = 0;
  return () =>
    client.workflow.start('naiveTurn', {
      taskQueue: NAIVE_TASK_QUEUE,
      workflowId: `naive-${process.pid}-${++turns}`,
      args: ['Look up.'],
    });
}

async function empty(connection: NativeConnection): Promise<{ worker: Worker; start: StartTurn }> {
  const taskQueue = EMPTY_TASK_QUEUE;
  const client = new Client({ connection });
  const workflowBundle = await bundleOf(require.resolve('./empty-workflow'));
  const worker = await Worker.create({ connection, taskQueue, workflowBundle });
  const start: StartTurn = () => client.workflow.start('empty', { taskQueue, workflowId: randomUUID(), args: ['Look up.'] });
  return { worker, start };
}

const bundleOf = (workflowsPath: string) => bundleWorkflowCode({ workflowsPath, logger: new DefaultLogger('ERROR') });

function tellRequest(): void {
  const { user, system } = process.cpuUsage();
  say({ said: 'asked', at: performance.now(), cpuMs: (user + system) / 1000 });
}

async function ours(connection: NativeConnection, options: SideOptions): ReturnType<MadeSide> {
  const { script, trustedKeys, modelUrl, store, tellRequests, otlp, cachedWorkflows } = options;
  const app = benchApp(script, (key) => say({ said: 'paid', key, at: Date.now() }));
  const inProcess = () => new BenchModel(script, tellRequests ? tellRequest : undefined);
  const model = modelUrl === undefined ? inProcess() : new AnthropicProvider({ baseUrl: modelUrl, apiKey: 'bench' });
  const { worker, client } = await ourWorker(connection, { app, model, trustedKeys, store, otlp, cachedWorkflows });
  return { worker, start: () => client.start({ agent: AGENT, message: 'Look up.' }) };
}

async function runBatch({ count, atOnce, startOnly }: Batch, start: StartTurn): Promise<BatchResult> {
  const began = performance.now();
  const result: BatchResult = { took: [], wallMs: 0, ids: [], failed: [] };
  let left = count;
  const one = async () => {
    while (left-- > 0) {
      const from = performance.now();
      const turn = await start();
      if (startOnly) continue;
      await turn.result().catch((error: unknown) => result.failed.push(String(error)));
      result.took.push(performance.now() - from);
      result.ids.push(turn.workflowId);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, one));
  return { ...result, wallMs: performance.now() - began };
}

main(JSON.parse(process.argv[2]!)).catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
