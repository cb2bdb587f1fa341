/** Checks whether this process can take work: the worker's own state, and the services that it depends on. */
import type { MetricMeter } from '@temporalio/common';
import { redactedText } from './log';
import { errorMessage } from '../shared/text/error-message';

/** Something that the worker depends on. */
export interface Check {
  name: string;
  /** Rejects if the check fails. */
  look(): Promise<unknown>;
  /** What to do if it fails. */
  todo: string;
}

export interface Finding {
  check: string;
  ok: boolean;
  detail?: string;
  todo?: string;
}

/** Temporal's state of a worker; `STARTING` also before there is one. */
export type WorkerState = 'STARTING' | 'INITIALIZED' | 'RUNNING' | 'STOPPING' | 'DRAINING' | 'DRAINED' | 'STOPPED' | 'FAILED';

/** A check that takes longer than this has failed. */
const LIMIT_MS = 2000;
/** A request within this time gets the same answer, so that requests do not become a load. */
const FRESH_MS = 1000;

/** @returns a function that checks; it reads the worker's own state anew each time */
export function readiness(state: () => WorkerState, checks: readonly Check[]): () => Promise<Finding[]> {
  const others = recently(checks);
  return async () => {
    const own = ofWorker(state());
    if (!own.ok) return [own];
    const findings = await others();
    return [ofWorker(state()), ...findings];
  };
}

/** @returns a function that gives what was found within the last second, or checks now */
export function recently(checks: readonly Check[]): () => Promise<Finding[]> {
  let last: { at: number; findings: Promise<Finding[]> } | undefined;
  return () => {
    if (last === undefined || performance.now() - last.at > FRESH_MS)
      last = { at: performance.now(), findings: Promise.all(checks.map(find)) };
    return last.findings;
  };
}

export const READY_METRIC = {
  name: 'holdfast_ready',
  help: 'Whether a check of readiness passed when it was last made: 1, or 0',
} as const;
const REPORT_EVERY_MS = 15_000;

/**
 * Keeps what is found in a metric, which a scrape reads without waiting for the store or Temporal.
 * @returns a function that ends it
 */
export function reportReadiness(look: () => Promise<Finding[]>, meter: MetricMeter): () => void {
  const gauge = meter.createGauge(READY_METRIC.name, 'int', '', READY_METRIC.help);
  const report = async () => {
    for (const { check, ok } of await look()) gauge.set(ok ? 1 : 0, { check });
  };
  const timer = setInterval(() => void report(), REPORT_EVERY_MS).unref();
  void report();
  return () => clearInterval(timer);
}

function ofWorker(state: WorkerState): Finding {
  if (state === 'RUNNING') return { check: 'worker', ok: true };
  const [detail, todo] =
    state === 'STARTING' || state === 'INITIALIZED'
      ? ['it is starting', 'Wait.']
      : state === 'FAILED'
        ? ['it has failed', 'Start it again; its log says why.']
        : ['it is draining: it takes nothing new and ends', 'Nothing: another worker goes on with its turns.'];
  return { check: 'worker', ok: false, detail, todo };
}

async function find({ name, look, todo }: Check): Promise<Finding> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${LIMIT_MS} ms`)), LIMIT_MS);
  });
  try {
    await Promise.race([look(), late]);
    return { check: name, ok: true };
  } catch (error) {
    const detail = redactedText(errorMessage(error)).slice(0, 500);
    return { check: name, ok: false, detail, todo };
  } finally {
    clearTimeout(timer);
  }
}
