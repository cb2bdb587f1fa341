/** Runs a worker from the settings, and loads the code for that only when it is called: `createWorker` needs none of it. */
import type { RunningWorker, startWorker as start } from '../worker-process';

/**
 * Runs one worker as a process of its own: with its store, model, notifier, health and metrics as the settings say.
 * @param args the settings, the app, and what `startWorker` of `worker-process.ts` takes besides
 * @throws ServerUnreachable when Temporal does not answer; MissingSearchAttributes; HealthUnavailable; MetricsUnavailable
 * @example const worker = await startWorker(loadConfig(), app);
 */
export async function startWorker(...args: Parameters<typeof start>): Promise<RunningWorker> {
  return (await import('../worker-process.js')).startWorker(...args);
}
