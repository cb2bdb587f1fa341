/**
 * One side of the comparison as a process of its own, so that its CPU time and memory are its own: a
 * worker, and the client that starts turns beside it, as in a service that embeds its worker. Takes
 * batches over IPC and answers with what each turn took.
 */
import { randomUUID } from 'node:crypto';
import { Client } from '@temporalio/client';
import { bundleWorkflowCode, DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { naiveActivities } from './naive-activities';
import { AGENT, BenchModel, benchApp } from './our-app';
import { ourWorker } from './our-worker';
import { EMPTY_TASK_QUEUE } from './task-queues';
import type { Script } from './workload';

export interface SideOptions {
  /** `empty`: a worker that serves a workflow which does nothing. */
  kind: 'naive' | 'ours' | 'empty';
  address: string;
  script: Script;
  /** Of ours: whose signatures count. */
  trustedKeys?: string;
}

export interface Batch {
  count: number;
  atOnce: number;
  /** Do not wait for the turns' ends. */
  startOnly?: boolean;
}

/** Everything that a side says. */
export type Said = { said: 'ready' } | { said: 'batch'; result: BatchResult } | { said: 'paid'; key: string; at: number };

export interface BatchResult {
  /** Milliseconds of each turn, start to result. */
  took: number[];
  wallMs: number;
  /** Workflow ids, in the order of their ends. */
  ids: string[];
  /** Turns that did not end well, with the reason. */
  failed: string[];
}

interface Turn {
  workflowId: string;
  result(): Promise<unknown>;
}
type StartTurn = () => Promise<Turn>;

const say = (message: Said) => process.send?.(message);

async function main({ kind, address, script, trustedKeys }: SideOptions): Promise<void> {
  Runtime.install({ logger: new DefaultLogger('ERROR'), telemetryOptions: { logging: { forward: {}, filter: 'ERROR' } } });
  const connection = await NativeConnection.connect({ address });
  const { worker, start } = await SIDES[kind](connection, script, trustedKeys);
  const finished = worker.run();
  process.on('message', (batch: Batch | 'stop') => {
    if (batch === 'stop') worker.shutdown();
    else void runBatch(batch, start).then((result) => say({ said: 'batch', result }));
  });
  process.once('disconnect', () => worker.getState() === 'RUNNING' && worker.shutdown());
  say({ said: 'ready' });
  await finished;
  await connection.close();
  if (process.connected) process.disconnect();
}

type MadeSide = (
  connection: NativeConnection,
  script: Script,
  trustedKeys?: string,
) => Promise<{ worker: Worker; start: StartTurn }>;
const SIDES: Record<SideOptions['kind'], MadeSide> = { naive, ours, empty };

async function naive(connection: NativeConnection, script: Script): Promise<{ worker: Worker; start: StartTurn }> {
  const taskQueue = 'naive';
  const client = new Client({ connection });
  const workflowBundle = await bundleOf(require.resolve('./naive-workflow'));
  const activities = naiveActivities(script);
  const worker = await Worker.create({ connection, taskQueue, workflowBundle, activities: { ...activities } });
  let turns = 0;
  const start: StartTurn = () =>
    client.workflow.start('naiveTurn', { taskQueue, workflowId: `naive-${process.pid}-${++turns}`, args: ['Look up.'] });
  return { worker, start };
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

async function ours(
  connection: NativeConnection,
  script: Script,
  trustedKeys?: string,
): Promise<{ worker: Worker; start: StartTurn }> {
  const app = benchApp(script, (key) => say({ said: 'paid', key, at: Date.now() }));
  const { worker, client } = await ourWorker(connection, { app, model: new BenchModel(script), trustedKeys });
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
