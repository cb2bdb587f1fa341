/** One worker as a process of its own: settings in, a running worker out. */
import { DefaultLogger, NativeConnection, Runtime } from '@temporalio/worker';
import type { App } from './agents/define';
import { ServerUnreachable } from './shared/server-unreachable';
import type { Config } from './config';
import { createModel } from './model';
import { openStore } from './store/open-store';
import { withoutPassword } from './shared/without-password';
import { createLog } from './telemetry/log';
import { createWorker } from './worker';

/** Agents that name no model use this one, unless `ANTHROPIC_MODEL` is set. */
const DEFAULT_MODEL = 'claude-sonnet-4-6';

export interface RunningWorker {
  /** What it serves and with what, for a line at start. */
  facts: { agents: string[]; model: string; store: string; taskQueue: string; temporal: string };
  /** Resolves when the worker has stopped; rejects when it broke down. */
  finished: Promise<void>;
  /** Takes nothing new, lets running calls end, then stops. */
  stop(): Promise<void>;
}

/** @throws ServerUnreachable when Temporal does not answer; MissingSearchAttributes */
export async function startWorker(config: Config, app: App): Promise<RunningWorker> {
  const log = createLog(config.logLevel);
  installRuntime(config.logLevel);
  const store = await openStore(config.store);
  const { apiKey, baseUrl } = config.anthropic;
  const model = await createModel({
    kind: config.model,
    ...(config.model === 'anthropic' && apiKey !== undefined ? { apiKey } : {}),
    ...(config.model === 'anthropic' && baseUrl !== undefined ? { baseUrl } : {}),
  });
  const defaultModel = model.defaultModel ?? config.anthropic.model ?? DEFAULT_MODEL;
  const connection = await connect(config);
  const { namespace } = config.temporal;
  const parts = { app, connection, namespace, taskQueue: config.taskQueue, store, model: model.provider, defaultModel, log };
  const worker = await createWorker(parts);
  const finished = worker.run().finally(async () => {
    await connection.close();
    await model.close();
  });
  return {
    facts: {
      agents: app.agents.map((agent) => agent.name),
      model: model.rehearsal ? `rehearsal (no API key: a script plays the model at ${model.rehearsal.baseUrl})` : defaultModel,
      store: withoutPassword(config.store),
      taskQueue: config.taskQueue,
      temporal: config.temporal.address,
    },
    finished,
    stop: async () => {
      if (worker.getState() === 'RUNNING') worker.shutdown();
      await finished;
    },
  };
}

async function connect({ temporal }: Config): Promise<NativeConnection> {
  try {
    return await NativeConnection.connect(temporal.connectionOptions);
  } catch (error) {
    throw new ServerUnreachable(temporal.address, error);
  }
}

/** Temporal's own warnings (every attempt that will be retried) are for `LOG_LEVEL=debug`. */
function installRuntime(level: Config['logLevel']): void {
  const logger = new DefaultLogger(level === 'debug' || level === 'trace' ? 'INFO' : 'ERROR');
  const filter = level === 'debug' || level === 'trace' ? 'INFO' : 'ERROR';
  Runtime.install({ logger, telemetryOptions: { logging: { forward: {}, filter: { core: filter, other: 'ERROR' } } } } as never);
}
