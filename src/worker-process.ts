/** One worker as a process of its own: settings in, a running worker out; its logs, metrics, health and orderly end. */
import { NativeConnection, type Worker } from '@temporalio/worker';
import type { App } from './agents/define';
import { ServerUnreachable } from './shared/server-unreachable';
import type { Config } from './config';
import { createModel } from './model';
import { openStore } from './store/open-store';
import { checkWritable } from './store/writable';
import { withoutPassword } from './shared/without-password';
import { drain, LAST_MS, type Drained } from './telemetry/drain';
import { createLog } from './telemetry/log';
import { readiness, type Check } from './telemetry/readiness';
import { Running } from './telemetry/running';
import { installRuntime } from './telemetry/runtime';
import { label, routingOf, withoutNewTurns } from './routing';
import { version } from './version';
import { createWorker } from './worker';

/** Agents that name no model use this one, unless `ANTHROPIC_MODEL` is set. */
const DEFAULT_MODEL = 'claude-sonnet-4-6';

export interface RunningWorker {
  /** What it serves and with what, for a line at start. */
  facts: {
    agents: string[];
    model: string;
    store: string;
    taskQueue: string;
    temporal: string;
    /** `deployment:build`; null: unversioned. */
    deployment: string | null;
    /** Why it will be given no new turns, and what to do; null: it is given some. */
    notice: string | null;
  };
  /** Resolves when the worker has stopped; rejects when it broke down. */
  finished: Promise<void>;
  /** Takes nothing new, lets running calls end, then stops; says what was cut off if the time was over before. */
  stop(): Promise<Drained>;
}

/** @throws ServerUnreachable when Temporal does not answer; MissingSearchAttributes; HealthUnavailable; MetricsUnavailable */
export async function startWorker(config: Config, app: App): Promise<RunningWorker> {
  const log = createLog(config.logLevel);
  installRuntime({ log, metrics: config.metrics });
  const parts: Parts = {};
  // First of all: whoever watches shall see a worker that starts, not one that is dead.
  const closeHealth = await serveHealthOf(config, parts);
  try {
    return await start(config, app, { log, parts, closeHealth });
  } catch (error) {
    await closeHealth();
    throw error;
  }
}

/** What readiness looks at, as it comes to be. */
interface Parts {
  connection?: NativeConnection;
  worker?: Worker;
}

interface Around {
  log: ReturnType<typeof createLog>;
  parts: Parts;
  closeHealth(): Promise<void>;
}

async function start(config: Config, app: App, { log, parts, closeHealth }: Around): Promise<RunningWorker> {
  const store = await openStore(config.store);
  const { apiKey, baseUrl } = config.anthropic;
  const model = await createModel({
    kind: config.model,
    ...(config.model === 'anthropic' && apiKey !== undefined ? { apiKey } : {}),
    ...(config.model === 'anthropic' && baseUrl !== undefined ? { baseUrl } : {}),
  });
  const defaultModel = model.defaultModel ?? config.anthropic.model ?? DEFAULT_MODEL;
  const connection = (parts.connection = await connect(config));
  const running = new Running();
  const { drainMs, taskQueue, health, metrics } = config;
  const options = { shutdownGraceTime: drainMs, shutdownForceTime: drainMs + LAST_MS };
  const { namespace } = config.temporal;
  const deployment = config.deployment ?? null;
  const engine = {
    app,
    connection,
    namespace,
    taskQueue,
    store,
    model: model.provider,
    defaultModel,
    log,
    running,
    deployment,
    options,
  };
  const idle = withoutNewTurns(deployment, await routingOf(connection, namespace, taskQueue), namespace);
  const worker = (parts.worker = await createWorker(engine));
  const finished = worker.run().finally(async () => {
    await connection.close();
    await model.close();
  });
  const facts = {
    agents: app.agents.map((agent) => agent.name),
    model: model.rehearsal ? `rehearsal (no API key: a script plays the model at ${model.rehearsal.baseUrl})` : defaultModel,
    store: withoutPassword(config.store),
    taskQueue,
    temporal: config.temporal.address,
    deployment: deployment && label(deployment),
    notice: idle && `${idle.notice} ${idle.todo}`,
  };
  const { taskQueue: task_queue, notice: _, ...served } = facts;
  log.info({ ...served, task_queue, version, pid: process.pid, health, metrics, drain_ms: drainMs }, 'worker started');
  if (idle !== null) log.warn({ deployment: facts.deployment, task_queue, notice: idle.notice, todo: idle.todo }, 'no new turns');
  let drained: Promise<Drained> | undefined;
  return {
    facts,
    finished,
    stop: () => (drained ??= drain(stoppable(worker, finished), running, drainMs, log).finally(closeHealth)),
  };
}

async function serveHealthOf(config: Config, parts: Parts): Promise<() => Promise<void>> {
  if (config.health === null) return async () => undefined;
  const { serveHealth } = await import('./telemetry/health.js'); // an HTTP server is loaded only where one is wanted
  return serveHealth(
    config.health,
    readiness(() => parts.worker?.getState() ?? 'STARTING', checks(config, parts)),
  );
}

function stoppable(worker: Worker, finished: Promise<void>) {
  return {
    shutdown: () => {
      if (worker.getState() === 'RUNNING') worker.shutdown();
    },
    finished,
  };
}

function checks({ temporal, store }: Config, parts: Parts): Check[] {
  return [
    {
      name: 'temporal',
      // Asked only while the worker runs, so it is there.
      look: () => parts.connection!.withDeadline(Date.now() + 2000, () => parts.connection!.workflowService.getSystemInfo({})),
      todo: `No answer from ${temporal.address}: is the server up, and is it reachable from here?`,
    },
    {
      name: 'store',
      look: () => checkWritable(store),
      todo: `${withoutPassword(store)} cannot be written: is there room, and may this user write there?`,
    },
  ];
}

async function connect({ temporal }: Config): Promise<NativeConnection> {
  try {
    return await NativeConnection.connect(temporal.connectionOptions);
  } catch (error) {
    throw new ServerUnreachable(temporal.address, error);
  }
}
