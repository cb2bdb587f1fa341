/**
 * Measures the gateway's memory under a steady load for minutes: starts with and without keys, views and lists of turns, streams
 * that are read to the end, and streams that their readers leave. Samples are taken after a forced garbage collection; the result
 * is the slope after the warm-up.
 */
import { randomUUID } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { onServer } from './gateway';
import type { Face } from './support/face-process';
import type { Memory } from './support/memory-reporter';
import { AGENT } from './support/our-app';
import { Side } from './support/side-process';
import { ONE_STEP } from './support/workload';

export interface MemoryFigures {
  minutes: number;
  turns: number;
  requests: number;
  failed: number;
  /** After the warm-up, MB. */
  heapMb: { first: number; last: number; slopePerMinute: number; slopePerThousandTurns: number };
  rssMb: { first: number; last: number; slopePerMinute: number };
  /** Open sockets and files of the process, at the first sample after the warm-up and at the last. */
  handles: { first: number; last: number };
}

const SAMPLE_EVERY_MS = 5000;
/** Share of the run in which caches fill and code is compiled. */
const WARM_UP = 0.2;
/** Each user starts a turn, reads or leaves its stream, views the turn, sometimes lists turns, and begins again. */
const USERS = 4;
const PAUSE_MS = 50;

export function gatewayMemory(minutes: number, say: (line: string) => void): Promise<MemoryFigures> {
  return onServer({ say }, async ({ dev, ours }) => {
    const side = await Side.start({ kind: 'ours', address: dev.address, script: ONE_STEP });
    const until = performance.now() + minutes * 60_000;
    const counted: Counted = { turns: 0, requests: 0, failed: 0 };
    try {
      const using = Array.from({ length: USERS }, () => use(ours, until, counted));
      const samples: Sample[] = [];
      while (performance.now() < until) {
        await sleep(SAMPLE_EVERY_MS);
        const sample = { ...(await ours.memory()), at: performance.now(), turns: counted.turns, handles: handlesOf(ours.pid) };
        samples.push(sample);
        if (samples.length % 12 === 0) say(`  ${line(sample)}`);
      }
      await Promise.all(using);
      return figures(minutes, counted, samples);
    } finally {
      await side.stop();
    }
  });
}

interface Counted {
  turns: number;
  requests: number;
  failed: number;
}

interface Sample extends Memory {
  /** Time of the sample, ms. */
  at: number;
  turns: number;
  handles: number;
}

async function use(gateway: Face, until: number, counted: Counted): Promise<void> {
  const { url, headers } = gateway;
  const ask = async (path: string, init: RequestInit = {}): Promise<Response> => {
    counted.requests += 1;
    const answer = await fetch(url + path, { ...init, headers: { ...headers, ...init.headers } });
    if (!answer.ok) counted.failed += 1;
    return answer;
  };
  for (let round = 0; performance.now() < until; round++) {
    const keyed: Record<string, string> = round % 2 === 0 ? { 'idempotency-key': randomUUID() } : {};
    const body = JSON.stringify({ agent: AGENT, message: `Look up ${round}.` });
    const started = await ask('/v1/turns', { method: 'POST', headers: { 'content-type': 'application/json', ...keyed }, body });
    const { events_url, turn_id } = (await started.json()) as { events_url: string; turn_id: string };
    counted.turns += 1;
    const leave = new AbortController();
    const events = await ask(events_url, { signal: leave.signal });
    if (round % 3 === 0) leave.abort();
    else await events.text();
    await (await ask(`/v1/turns/${turn_id}`)).text();
    if (round % 5 === 0) await (await ask('/v1/turns?limit=10')).text();
    await sleep(PAUSE_MS);
  }
}

const handlesOf = (pid: number) => readdirSync(`/proc/${pid}/fd`).length;
const mb = (bytes: number) => bytes / 1024 / 1024;
const line = ({ rss, heapUsed, handles, turns }: Sample) =>
  `${turns} turns: heap ${mb(heapUsed).toFixed(1)} MB, resident ${mb(rss).toFixed(0)} MB, ${handles} handles`;

function figures(minutes: number, counted: Counted, all: Sample[]): MemoryFigures {
  const samples = all.slice(Math.ceil(all.length * WARM_UP));
  if (samples.length < 3) throw new Error(`${minutes} minutes are too few to see a trend; take at least 1.`);
  const [first, last] = [samples[0]!, samples.at(-1)!];
  const grown = (of: 'heapUsed' | 'rss') => ({ first: mb(first[of]), last: mb(last[of]) });
  const minute = (of: 'heapUsed' | 'rss') => slope(samples.map((sample) => [sample.at / 60_000, mb(sample[of])]));
  const slopePerThousandTurns = slope(samples.map((sample) => [sample.turns / 1000, mb(sample.heapUsed)]));
  return {
    minutes,
    ...counted,
    heapMb: { ...grown('heapUsed'), slopePerMinute: minute('heapUsed'), slopePerThousandTurns },
    rssMb: { ...grown('rss'), slopePerMinute: minute('rss') },
    handles: { first: first.handles, last: last.handles },
  };
}

/** The slope of the straight line with the least squares. */
function slope(points: [x: number, y: number][]): number {
  const mean = (index: 0 | 1) => points.reduce((sum, point) => sum + point[index], 0) / points.length;
  const [x, y] = [mean(0), mean(1)];
  const covariance = points.reduce((sum, point) => sum + (point[0] - x) * (point[1] - y), 0);
  return covariance / points.reduce((sum, point) => sum + (point[0] - x) ** 2, 0);
}
