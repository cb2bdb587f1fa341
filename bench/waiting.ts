/**
 * Measures what turns that wait cost one worker at rest (for approval, for a time, or for the completion of a call that ends later), and how
 * soon they go on: from an approval to the run of the call, otherwise to the next model request.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { dataConverter } from '../src/temporal/data-converter';
import { startDevServer } from '../src/devserver/dev-server';
import { findTemporalCli } from '../src/devserver/find-cli';
import type { AdmitCallOutput } from '../src/shared/io/activities';
import { HoldfastClient } from '../src/client';
import { complete } from '../src/completions/complete';
import { openStore } from '../src/store/open-store';
import { SIGNALS, STEER } from '../src/workflows/contract';
import { cachedWorkflows, memoryOfProcess } from '../src/worker/cached-workflows';
import { cpuMs, peakMb, residentMb } from './support/process-figures';
import { median, quantile } from './support/quantile';
import { Side } from './support/side-process';
import { OUR_TASK_QUEUE } from './support/task-queues';
import { PENDING_TURN, SLEEPING_TURN, WAITING_TURN } from './support/workload';

export interface Waiting {
  kind: 'approval' | 'time' | 'completion';
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

const KINDS = {
  approval: { script: WAITING_TURN, state: 'awaiting_approval' },
  time: { script: SLEEPING_TURN, state: 'sleeping' },
  completion: { script: PENDING_TURN, state: 'awaiting_completion' },
} as const;

const AT_REST_MS = 20_000;
const SIGNALLED = 100;
const STARTED_AT_ONCE = 20;
const STARTED_TOGETHER = 50;

/** @param containerMb as in a container of so much memory: V8's heap then has half of it, and the cache what follows from both */
export async function waiting(
  kind: Waiting['kind'],
  turns: number,
  containerMb: number | undefined,
  say: (line: string) => void,
): Promise<Waiting> {
  const heapMb = containerMb === undefined ? undefined : Math.floor(containerMb / 2);
  const cached = cachedWorkflows(heapMb === undefined ? memoryOfProcess() : { memoryMb: containerMb!, heapMb });
  const { path } = await findTemporalCli({ onProgress: say });
  const dev = await startDevServer({ cli: path, port: 0, headless: true });
  const connection = await Connection.connect({ address: dev.address });
  const client = new Client({ connection, dataConverter });
  const { script, state } = KINDS[kind];
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-bench-waiting-'));
  const store = `file:${folder}`;
  const tellRequests = kind !== 'approval';
  const options = { kind: 'ours' as const, address: dev.address, script, store, tellRequests, cachedWorkflows: cached };
  const side = await Side.start(options, undefined, heapMb);
  const tokens = kind === 'completion' ? side.keys() : [];
  try {
    const workerMbBefore = residentMb(side.pid);
    await startAll(side, client, { turns, state, say });
    await sleep(5000); // until visibility and garbage collection are idle
    const before = [cpuMs(side.pid), cpuMs(dev.pid)] as const;
    await sleep(AT_REST_MS);
    const atRest = [cpuMs(side.pid) - before[0], cpuMs(dev.pid) - before[1]] as const;
    const workerMb = residentMb(side.pid);
    const delays = await endSome(kind, { client, side, store, tokens, say });
    return {
      kind,
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
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A part after the other, as a gateway does: it takes no starts while the workers cannot keep up. */
async function startAll(
  side: Side,
  client: Client,
  { turns, state, say }: { turns: number; state: string; say: (line: string) => void },
): Promise<void> {
  for (let started = 0; started < turns;) {
    const count = Math.min(STARTED_TOGETHER, turns - started);
    side.startOnly({ count, atOnce: STARTED_AT_ONCE });
    started += count;
    await untilWaiting(client, started, () => undefined, state);
    if (started % 500 === 0) say(`  ${started} of ${turns} turns wait`);
  }
}

export async function untilWaiting(
  client: Client,
  turns: number,
  say: (line: string) => void,
  state = 'awaiting_approval',
): Promise<void> {
  for (let shown = 0; ; await sleep(500)) {
    const { count } = await client.workflow.count(`HoldfastState = '${state}'`);
    if (count >= turns) return;
    if (count >= shown + 100) say(`  ${(shown = count)} of ${turns} turns wait`);
  }
}

interface Ends {
  client: Client;
  side: Side;
  store: string;
  tokens: readonly string[];
  say: (line: string) => void;
}

/** Ends the waits of some turns, one after the other, spread over all of them. @returns the times until they went on, ms */
async function endSome(kind: Waiting['kind'], { client, side, store: url, tokens, say }: Ends): Promise<number[]> {
  const ids: string[] = [];
  const query = `HoldfastState = '${KINDS[kind].state}'`;
  for await (const { workflowId } of client.workflow.list({ query })) ids.push(workflowId);
  const every = Math.max(1, Math.floor(ids.length / SIGNALLED));
  const delays: number[] = [];
  const store = await openStore(url);
  const holdfast = new HoldfastClient(client, { taskQueue: OUR_TASK_QUEUE, uiUrl: null });
  for (const [index, id] of ids.entries()) {
    if (index % every !== 0) continue;
    const call = kind === 'approval' ? await digestOf(client, id) : '';
    const goesOn = kind === 'approval' ? side.nextPaid() : side.nextRequest();
    const sent = Date.now();
    const handle = client.workflow.getHandle(id);
    if (kind === 'approval') await handle.signal(SIGNALS.approve, { call, by: 'bench' });
    if (kind === 'time') await handle.signal(STEER, { text: 'Go on.', by: 'bench' });
    if (kind === 'completion') await complete({ store, client: async () => holdfast }, tokens[index]!, { result: 'come' });
    await goesOn;
    delays.push(Date.now() - sent);
  }
  say(`  ${delays.length} have gone on`);
  await store.close();
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
