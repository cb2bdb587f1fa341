/** Tracks what this worker runs, and drains it: a drain reports what it waits for, and what it cut off. */
import type pino from 'pino';
import type { TurnFields } from './log';

export interface Work extends TurnFields {
  activity: string;
}

/** Shorter questions to a tool are not kept: a model asks for many calls at once. */
const LONG_MS = 100;

export class Running {
  private readonly now = new Set<Work>();
  private readonly stoppedWork: Work[] = [];
  private recentWork: { work: Work; at: number }[] = [];
  /** Tools whose own functions are asked, or were asked, during work that is not of one call. */
  private askedNow: { tool: string; at: number }[] = [];
  private recentCalls: { tool: string; at: number }[] = [];

  /** Registers a piece of work; the returned function ends it. */
  begin(work: Work): (how: 'ended' | 'stopped') => void {
    this.now.add(work);
    return (how) => {
      if (!this.now.delete(work)) return;
      this.recentWork.push({ work, at: performance.now() });
      if (how === 'stopped') this.stoppedWork.push(work);
    };
  }

  /** Work that runs now. */
  list(): Work[] {
    return [...this.now];
  }

  /**
   * Asks a tool something (its check, target, rules) during work that is not of one call.
   * @param tool undefined: there is none
   */
  async asking<T>(tool: string | undefined, ask: () => Promise<T>): Promise<T> {
    if (tool === undefined) return ask();
    const call = { tool, at: performance.now() };
    this.askedNow.push(call);
    try {
      return await ask();
    } finally {
      this.askedNow = this.askedNow.filter((other) => other !== call);
      const at = performance.now();
      if (at - call.at >= LONG_MS) this.recentCalls.push({ tool, at });
    }
  }

  /** Tools of work that runs or is asked, or that ended after `time` (`performance.now()`) and was not forgotten; each once. */
  toolsSince(time: number): string[] {
    const endedWork = this.recentWork.filter(({ at }) => at >= time).map(({ work }) => work);
    const calls = [...this.askedNow, ...this.recentCalls.filter(({ at }) => at >= time)];
    return [...new Set([...this.now, ...endedWork, ...calls].flatMap(({ tool }) => tool ?? []))];
  }

  /** Forgets what has ended. */
  forget(): void {
    this.recentWork = [];
    this.recentCalls = [];
  }

  /** Work that was stopped so far because this worker ends. */
  stopped(): Work[] {
    return [...this.stoppedWork];
  }
}

// A drain has three parts: running calls end (up to the limit); then calls that may be repeated are cancelled and handed back to
// Temporal; finally the process ends, whatever still runs. A destructive call is never cancelled: if the end cuts it off, it is
// in doubt, and no worker repeats it.

/** After the limit: time for a cancelled tool to end (5 s), and for its end to reach Temporal. */
export const LAST_MS = 7000;

export interface DrainReport {
  took_ms: number;
  /** False: the time was over before the worker had stopped. */
  in_time: boolean;
  /** Stopped at the limit; another worker runs them again. */
  handed_back: Work[];
  /** Still running at the end: reads are repeated elsewhere, a destructive call is in doubt. */
  cut_off: Work[];
}

export interface Drainable {
  /** Takes no new work from now on. */
  shutdown(): void;
  /** Settles when it has stopped by itself, or was given up. */
  finished: Promise<void>;
}

/** Stops the worker. Resolves when everything has ended, or when there is no more time. */
export async function drain(worker: Drainable, running: Running, limitMs: number, log: pino.Logger): Promise<DrainReport> {
  const start = performance.now();
  log.info({ running: running.list(), limit_ms: limitMs }, 'draining');
  worker.shutdown();
  let timer: NodeJS.Timeout | undefined;
  // Not the SDK's shutdownForceTime alone: after it the SDK may still wait for the activities that it gave up.
  const last = new Promise<boolean>((resolve) => (timer = setTimeout(() => resolve(false), limitMs + LAST_MS)));
  const stopped = worker.finished.then(
    () => true,
    () => false,
  );
  const in_time = await Promise.race([stopped, last]);
  clearTimeout(timer);
  const took_ms = Math.round(performance.now() - start);
  const report = { took_ms, in_time, handed_back: running.stopped(), cut_off: running.list() };
  if (!in_time) log.error({ ...report, todo: CUT_OFF }, 'stopped before all activities had ended');
  else if (report.handed_back.length > 0)
    log.warn(report, 'stopped; activities that the time limit stopped run again on another worker');
  else log.info(report, 'stopped; everything had ended');
  return report;
}

const CUT_OFF =
  'Reads and writes are repeated by another worker. A destructive call is in doubt: `holdfast pending` shows it. If this happens often, raise HOLDFAST_DRAIN_SECONDS, and the time that your platform grants.';
