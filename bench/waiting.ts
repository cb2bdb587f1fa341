/** Measures what turns that wait for approval cost one worker at rest, and how soon an approved call runs. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { dataConverter } from '../src/temporal/data-converter';
import { startDevServer } from '../src/devserver/dev-server';
import { findTemporalCli } from '../src/devserver/find-cli';
import type { AdmitCallOutput } from '../src/shared/io/activities';
import { SIGNALS } from '../src/workflows/contract';
import { cachedWorkflows, memoryOfProcess } from '../src/worker/cached-workflows';
import { cpuMs, peakMb, residentMb } from './support/process-figures';
import { median, quantile } from './support/quantile';
import { Side } from './support/side-process';
import { WAITING_TURN } from './support/workload';

export interface Waiting {
  turns: number;
  /** How many of them the worker keeps in memory. */
  cachedWorkflows: number;
  workerMbBefore: number;
  workerMb: number;
  /** The most at any time: while turns start and are approved. */
  workerPeakMb: number;
  /** Share of one core while nothing happens, per cent. */
  workerCpuAtRest: number;
  serverCpuAtRest: number;
  signalToRunMedianMs: number;
  signalToRunP99Ms: number;
}

const AT_REST_MS = 20_000;
const SIGNALLED = 100;
const STARTED_AT_ONCE = 20;

/** @param containerMb as in a container of so much memory: V8's heap then has half of it, and the cache what follows from both */
export async function waiting(turns: number, containerMb: number | undefined, say: (line: string) => void): Promise<Waiting> {
  const heapMb = containerMb === undefined ? undefined : Math.floor(containerMb / 2);
  const cached = cachedWorkflows(heapMb === undefined ? memoryOfProcess() : { memoryMb: containerMb!, heapMb });
  const { path } = await findTemporalCli({ onProgress: say });
  const dev = await startDevServer({ cli: path, port: 0, headless: true });
  const connection = await Connection.connect({ address: dev.address });
  const client = new Client({ connection, dataConverter });
  const options = { kind: 'ours' as const, address: dev.address, script: WAITING_TURN, cachedWorkflows: cached };
  const side = await Side.start(options, undefined, heapMb);
  try {
    const workerMbBefore = residentMb(side.pid);
    side.startOnly({ count: turns, atOnce: STARTED_AT_ONCE });
    await untilWaiting(client, turns, say);
    await sleep(5000); // until visibility and garbage collection are idle
    const before = [cpuMs(side.pid), cpuMs(dev.pid)] as const;
    await sleep(AT_REST_MS);
    const atRest = [cpuMs(side.pid) - before[0], cpuMs(dev.pid) - before[1]] as const;
    const workerMb = residentMb(side.pid);
    const delays = await approveSome(client, side, say);
    return {
      turns,
      cachedWorkflows: cached,
      workerMbBefore,
      workerMb,
      workerPeakMb: peakMb(side.pid),
      workerCpuAtRest: (100 * atRest[0]) / AT_REST_MS,
      serverCpuAtRest: (100 * atRest[1]) / AT_REST_MS,
      signalToRunMedianMs: median(delays),
      signalToRunP99Ms: quantile(delays, 0.99),
    };
  } finally {
    await side.kill();
    await connection.close();
    await dev.stop();
  }
}

export async function untilWaiting(client: Client, turns: number, say: (line: string) => void): Promise<void> {
  for (let shown = 0; ; await sleep(500)) {
    const { count } = await client.workflow.count("HoldfastState = 'awaiting_approval'");
    if (count >= turns) return;
    if (count >= shown + 100) say(`  ${(shown = count)} of ${turns} turns wait`);
  }
}

/** Approves waiting turns one after the other, spread over all of them. @returns the times from signal to run, ms */
async function approveSome(client: Client, side: Side, say: (line: string) => void): Promise<number[]> {
  const ids: string[] = [];
  for await (const { workflowId } of client.workflow.list({ query: "HoldfastState = 'awaiting_approval'" })) ids.push(workflowId);
  const every = Math.max(1, Math.floor(ids.length / SIGNALLED));
  const delays: number[] = [];
  for (const id of ids.filter((_, index) => index % every === 0)) {
    const call = await digestOf(client, id);
    const ran = side.nextPaid();
    const sent = Date.now();
    await client.workflow.getHandle(id).signal(SIGNALS.approve, { call, by: 'bench' });
    delays.push((await ran).at - sent);
  }
  say(`  ${delays.length} approved`);
  return delays;
}

/** Reads the digest from history; a query would bring the turn back into the worker's cache. */
async function digestOf(client: Client, workflowId: string): Promise<string> {
  const { events } = await client.workflow.getHandle(workflowId).fetchHistory();
  const outputs = (events ?? []).flatMap((event) => event.activityTaskCompletedEventAttributes?.result?.payloads ?? []);
  for (const payload of outputs) {
    const output = JSON.parse(Buffer.from(payload.data!).toString('utf8')) as AdmitCallOutput;
    if (output.ok) return output.digest;
  }
  throw new Error(`${workflowId} has asked for nothing`);
}
