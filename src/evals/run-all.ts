/** Runs all cases with all models, several at once, and stops where a limit of cost is reached. */
import pLimit from 'p-limit';
import { errorMessage } from '../shared/text/error-message';
import { CaseError, type EvalCase } from './case';
import type { RunOutcome, RunTask } from './run-case';

export interface Plan {
  cases: readonly EvalCase[];
  /** Null: as each case or its agent says. */
  models: readonly (string | null)[];
  repeat: number;
  concurrency: number;
  /** No run begins after the others have cost so much. Those that run are not stopped. */
  maxUsd?: number;
  signal: AbortSignal;
}

/** How one run ended, for tables and files. */
export interface RunResult {
  case: string;
  model: string;
  repetition: number;
  faults: string[];
  /** Why it did not begin; null: it did. */
  skipped: string | null;
  /** US dollars; null: not known. */
  costUsd: number | null;
  durationMs: number;
}

export interface Running {
  /** The model that a task asks first. @throws CaseError */
  modelName(task: RunTask): string;
  runOne(task: RunTask): Promise<RunOutcome>;
  /** Called after each run, in the order in which they end. */
  onEnd(result: RunResult, count: number, all: number): void;
}

/** @returns the results in the order of the cases; after an abort, of those that have ended. @throws CaseError */
export async function runAll(plan: Plan, { modelName, runOne, onEnd }: Running): Promise<RunResult[]> {
  const { cases, models, repeat, maxUsd = Infinity, signal } = plan;
  const repetitions = Array.from({ length: repeat }, (_, index) => index + 1);
  const tasks = models.flatMap((model) => cases.flatMap((one) => repetitions.map((repetition) => ({ one, model, repetition }))));
  const names = tasks.map(modelName); // all faults of names before the first run
  const limit = pLimit(plan.concurrency);
  let spent = 0;
  let count = 0;
  let isUnusable = false;
  const run = async (task: RunTask, model: string): Promise<RunResult | null> => {
    if (signal.aborted || isUnusable) return null;
    const result = spent >= maxUsd ? skip(`The others have cost $${spent.toFixed(4)}.`) : await attempt(runOne, task, signal);
    if (result === null) return null;
    spent += result.costUsd ?? 0;
    const whole = { case: task.one.name, model, repetition: task.repetition, ...result };
    onEnd(whole, (count += 1), tasks.length);
    return whole;
  };
  const guarded = async (task: RunTask, model: string) => {
    try {
      return await run(task, model);
    } catch (error) {
      isUnusable = true; // before the next one begins
      throw error;
    }
  };
  const running = tasks.map((task, index) => limit(guarded, task, names[index]!));
  // Those that run end in order, even if a case turns out to be unusable.
  await Promise.allSettled(running);
  const results = await Promise.all(running);
  return results.filter((result) => result !== null);
}

type Ending = Omit<RunResult, 'case' | 'model' | 'repetition'>;

function skip(why: string): Ending {
  return { faults: [], skipped: why, costUsd: 0, durationMs: 0 };
}

/** @returns null: the run was aborted */
async function attempt(runOne: Running['runOne'], task: RunTask, signal: AbortSignal): Promise<Ending | null> {
  const began = performance.now();
  try {
    const { run, faults } = await runOne(task);
    return { faults, skipped: null, costUsd: run.costUsd, durationMs: run.durationMs };
  } catch (error) {
    if (signal.aborted) return null;
    if (error instanceof CaseError || (error as Error).name === 'ConfigError') throw error;
    const durationMs = Math.round(performance.now() - began);
    return { faults: [`The run broke off: ${errorMessage(error)}`], skipped: null, costUsd: null, durationMs };
  }
}
