/**
 * Measures the inbox with many waiting calls, at the gateway as it is served: how long the first reading takes, how long a page with
 * rows takes once it is read, beside the empty page of the same run, and how soon a decision is on the stream.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { EventSource } from 'eventsource';
import { defaultTrustedKeys } from '../src/config';
import { startDevServer } from '../src/devserver/dev-server';
import { findTemporalCli } from '../src/devserver/find-cli';
import type { PendingRow } from '../src/shapes/inbox';
import { Face } from './support/face-process';
import { load } from './support/http-load';
import { AGENT } from './support/our-app';
import { cpuMs, residentMb } from './support/process-figures';
import { median, quantile } from './support/quantile';
import { Side } from './support/side-process';
import { WAITING_TURN } from './support/workload';
import { untilWaiting } from './waiting';

export interface InboxFigures {
  turns: number;
  emptyMs: number;
  /** From the first request until all turns are read, and the worker's CPU time for it. */
  firstReadingMs: number;
  firstReadingWorkerCpuMs: number;
  /** `GET /v1/pending?compact=true`, when all is read. */
  rowsMs: number;
  rowsP99Ms: number;
  rowsKb: number;
  /** From the opening of the stream until it has told all rows. */
  streamMs: number;
  /** `GET /v1/pending`, with whole cards. */
  wholeMs: number;
  /** From a decision until the stream says that the call waits no more. */
  decisionMs: number;
  /** Shares of one core while a stream is open and nothing happens, per cent. */
  gatewayCpuAtRest: number;
  workerCpuAtRest: number;
  gatewayMb: number;
}

const ROUNDS = 30;
const DECISIONS = 10;
const AT_REST_MS = 20_000;

export async function inbox(turns: number, say: (line: string) => void): Promise<InboxFigures> {
  const { path } = await findTemporalCli({ onProgress: say });
  const home = await mkdtemp(join(tmpdir(), 'holdfast-bench-inbox-'));
  const store = `file:${join(home, 'store')}`;
  process.env.HOLDFAST_STORE = store; // of the gateway's process
  const dev = await startDevServer({ cli: path, port: 0, headless: true });
  const connection = await Connection.connect({ address: dev.address });
  const gateway = await Face.gateway({ address: dev.address, home });
  const side = await Side.start({
    kind: 'ours',
    address: dev.address,
    script: WAITING_TURN,
    store,
    trustedKeys: defaultTrustedKeys(home),
  });
  try {
    const emptyMs = median(await sampled(() => rows(gateway, 0)));
    say(`  an empty page takes ${emptyMs.toFixed(1)} ms`);
    await load({ face: gateway, path: '/v1/turns', body: { agent: AGENT, message: 'Pay.' }, count: turns, atOnce: 20 });
    await untilWaiting(new Client({ connection }), turns, say);
    // The gateway has looked at the empty inbox until now: another one reads it for the first time.
    const second = await Face.gateway({ address: dev.address, home });
    try {
      return { turns, emptyMs, ...(await measured(second, side, turns, say)) };
    } finally {
      await second.stop();
    }
  } finally {
    await gateway.stop();
    await side.kill();
    await connection.close();
    await dev.stop();
    await rm(home, { recursive: true, force: true });
  }
}

async function measured(
  gateway: Face,
  side: Side,
  turns: number,
  say: (line: string) => void,
): Promise<Omit<InboxFigures, 'turns' | 'emptyMs'>> {
  const before = cpuMs(side.pid);
  const first = new Reader(gateway, (done, total) => say(`  ${done} of ${total} turns read`));
  const firstReadingMs = await first.hasAll(turns);
  const firstReadingWorkerCpuMs = cpuMs(side.pid) - before;
  const took = await sampled(() => rows(gateway, turns));
  const second = new Reader(gateway);
  const streamMs = await second.hasAll(turns);
  const rowsKb = (await (await get(gateway, '/v1/pending?compact=true')).text()).length / 1024;
  const begun = performance.now();
  await (await get(gateway, '/v1/pending')).text();
  const wholeMs = performance.now() - begun;
  await sleep(5000);
  const cpu = [cpuMs(gateway.pid), cpuMs(side.pid)] as const;
  await sleep(AT_REST_MS);
  const share = (pid: number, from: number) => (100 * (cpuMs(pid) - from)) / AT_REST_MS;
  const [gatewayCpuAtRest, workerCpuAtRest] = [share(gateway.pid, cpu[0]), share(side.pid, cpu[1])];
  const gatewayMb = residentMb(gateway.pid);
  const decisionMs = median(await decided(gateway, second));
  first.close();
  second.close();
  const readingFigures = {
    firstReadingMs,
    firstReadingWorkerCpuMs,
    rowsMs: median(took),
    rowsP99Ms: quantile(took, 0.99),
    rowsKb,
  };
  return { ...readingFigures, streamMs, wholeMs, decisionMs, gatewayCpuAtRest, workerCpuAtRest, gatewayMb };
}

/** Reads the stream of the inbox. */
class Reader {
  readonly rows = new Map<string, PendingRow>();
  private readonly opened = performance.now();
  private readonly source: EventSource;
  private done = 0;
  private changed = () => undefined as void;

  constructor({ url, headers }: Face, onReading: (done: number, total: number) => void = () => undefined) {
    const withHeaders: typeof fetch = (input, init) => fetch(input, { ...init, headers: { ...init?.headers, ...headers } });
    this.source = new EventSource(`${url}/v1/pending/events`, { fetch: withHeaders as never });
    const on = (name: string, take: (data: any) => void) =>
      this.source.addEventListener(name, ({ data }) => {
        take(JSON.parse(String(data)));
        this.changed();
      });
    on('waiting_added', (row: PendingRow) => this.rows.set(row.turn_id, row));
    on('waiting_changed', (row: PendingRow) => this.rows.set(row.turn_id, row));
    on('waiting_removed', ({ turn_id }) => this.rows.delete(turn_id));
    on('waiting_reading', ({ done, total }) => {
      if (done >= this.done + 200) onReading(done, total);
      this.done = done;
    });
  }

  /** @returns the time since it was opened, ms */
  async hasAll(count: number): Promise<number> {
    await this.until(() => this.rows.size >= count && [...this.rows.values()].every(({ calls }) => calls.length > 0));
    return performance.now() - this.opened;
  }

  async until(holds: () => boolean): Promise<void> {
    while (!holds()) await new Promise<void>((resolve) => (this.changed = resolve));
  }

  close(): void {
    this.source.close();
  }
}

async function decided(gateway: Face, reader: Reader): Promise<number[]> {
  const took: number[] = [];
  for (const { turn_id, calls } of [...reader.rows.values()].slice(0, DECISIONS)) {
    const begun = performance.now();
    const headers = { ...gateway.headers, 'content-type': 'application/json' };
    const body = JSON.stringify({ decision: 'deny', call: calls[0]!.digest });
    const answer = await fetch(`${gateway.url}/v1/turns/${turn_id}/decisions`, { method: 'POST', headers, body });
    if (!answer.ok) throw new Error(`The decision was not taken: ${await answer.text()}`);
    await reader.until(() => !reader.rows.has(turn_id));
    took.push(performance.now() - begun);
  }
  return took;
}

async function sampled(measure: () => Promise<number>): Promise<number[]> {
  const took: number[] = [];
  for (let round = 0; round < ROUNDS; round++) took.push(await measure());
  return took;
}

/** Time for the page, with all of its rows, ms. */
async function rows(gateway: Face, expected: number): Promise<number> {
  const begun = performance.now();
  const { turns } = (await (await get(gateway, '/v1/pending?compact=true')).json()) as { turns: PendingRow[] };
  const took = performance.now() - begun;
  const shown = turns.filter(({ calls }) => calls.length > 0).length;
  if (shown !== expected) throw new Error(`The page shows ${shown} turns with their calls, not ${expected}.`);
  return took;
}

function get(gateway: Face, path: string): Promise<Response> {
  return fetch(gateway.url + path, { headers: gateway.headers });
}
