/** Calls, runs and results of cases, for tests of what judges and prints them. */
import type { RunResult } from '../../src/evals/run-all';
import type { EvalCall, EvalRun } from '../../src/evals/types';

export function evalCall(tool: string, more: Partial<EvalCall> = {}): EvalCall {
  return {
    ...{ id: '1.1', revision: 1, agent: 'payables', tool, input: {}, state: 'succeeded' },
    ...{ effect: null, result: null, error: null, approvedBy: [], ...more },
  };
}

export function evalRun(more: Partial<EvalRun> = {}): EvalRun {
  return {
    ...{ case: 'pays', agent: 'payables', model: 'opus', repetition: 1, state: 'completed', reason: null },
    ...{ text: 'Paid.', result: null, calls: [], steps: 2, costUsd: 0.01, durationMs: 1200, ...more },
  };
}

export function runResult(more: Partial<RunResult> = {}): RunResult {
  return { case: 'pays', model: 'opus', repetition: 1, faults: [], skipped: null, costUsd: 0.01, durationMs: 1500, ...more };
}
