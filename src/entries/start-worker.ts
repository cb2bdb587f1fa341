/** Runs a worker from the settings, and loads the code for that only when it is called: `createWorker` needs none of it. */
import type { App } from '../agents/define';
import type { Config } from '../config';
import type { LiveBus } from '../live/bus';
import type { RunningWorker } from '../worker-process';

/**
 * Runs one worker as a process of its own: with its store, model, notifier, health and metrics as the settings say.
 * @param told receives live events if HOLDFAST_LIVE names no bus
 * @param appModule path of the module whose default export is the app: for tools with `isolate: true`
 * @throws ServerUnreachable when Temporal does not answer; MissingSearchAttributes; HealthUnavailable; MetricsUnavailable
 * @example const worker = await startWorker(loadConfig(), app);
 */
export async function startWorker(
  config: Config,
  app: App,
  told: LiveBus | null = null,
  appModule?: string,
): Promise<RunningWorker> {
  const process = await import('../worker-process.js');
  return process.startWorker(config, app, told, appModule);
}
