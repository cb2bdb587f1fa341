/**
 * Runs one worker as a process of its own: opens its parts from the settings, serves its metrics and health, and stops it in order.
 */
import { existsSync } from 'node:fs';
import { NativeConnection, Runtime, type Worker } from '@temporalio/worker';
import type { Notifier } from './activities/ports';
import type { App } from './agents/define';
import { scheduleInWords } from './schedules/definition';
import { FileTrust } from './attestation/file-trust';
import { ServerUnreachable } from './shared/wire/errors';
import type { Site } from './shared/wire/cross-site-check';
import { ConfigError, mcpLogins, signingKeyOf, type Config } from './config';
import { approvalsChannel } from './config/http';
import { NO_LIVE, type LiveBus } from './live/bus';
import { openLive } from './live/open';
import { createNotifier } from './notify';
import { callbackSender } from './notify/webhook';
import type { McpServers } from './mcp';
import { openStoreOf } from './store/open-store';
import type { Store } from './store/store';
import { withoutPassword } from './shared/text/secrets';
import { drain, LAST_MS, type DrainReport, Running } from './telemetry/running';
import { openLog, type ProcessLog } from './telemetry/log-records';
import { openTraces } from './telemetry/traces/open';
import { readiness, reportReadiness, type Check, type Finding } from './telemetry/readiness';
import { installRuntime } from './telemetry/runtime';
import { makeClient } from './temporal/make-client';
import { isSuperseded, label, routingOf, withoutNewTurns } from './temporal/worker-versions';
import { version } from './version';
import { useThreads } from './tools/isolation/pool';
import { Registry } from './tools/catalogue/registry';
import type { Keys } from './encryption';
import { createWorker } from './worker';
import { describeModels, openModel, withoutProviders } from './worker/own-model';
import { reportSchedules } from './schedules/at-start';
import type { ToolLogger } from './tools/define/tool';
import { optional } from './shared/json/optional';

export interface RunningWorker {
  /** What the worker serves and with what, for the line at start. */
  facts: {
    agents: string[];
    /** The app's schedules with their times in words; absent: it says nothing of schedules. */
    schedules?: string[];
    model: string;
    store: string;
    taskQueue: string;
    temporal: string;
    /** Which decisions count. */
    approvals: 'any' | 'attested';
    /** `deployment:build`; null: unversioned. */
    deployment: string | null;
    /** Why the worker gets no new turns, and what to do; null: it gets new turns. */
    notice: string | null;
  };
  /** Resolves when the worker has stopped; rejects when it failed. */
  finished: Promise<void>;
  /**
   * Serves another app from now on; running work is not touched.
   * @throws Error if the new app's tools cannot be prepared; nothing changes then
   */
  replace(app: App): void;
  /** Takes nothing new, lets running calls end, then stops; reports what it cut off at the time limit. */
  stop(): Promise<DrainReport>;
}

/**
 * @param liveBus receives live events if HOLDFAST_LIVE names no bus
 * @param appModule path of the module whose default export is the app: for tools with `isolate: true`
 * @throws ServerUnreachable when Temporal does not answer; MissingSearchAttributes; HealthUnavailable; MetricsUnavailable
 */
export async function startWorker(
  config: Config,
  app: App,
  liveBus: LiveBus | null = null,
  appModule?: string,
): Promise<RunningWorker> {
  const { log, close: closeLog } = openLog(config, 'holdfast-worker');
  const site = { hosts: config.hosts, publicUrl: config.publicUrl };
  const closeMetrics = await installRuntime({ log, metrics: config.metrics, otlp: config.otlp, site });
  const parts: Parts = {};
  // Health first: a probe must see a worker that starts, not a dead one.
  const look = readiness(() => parts.worker?.getState() ?? 'STARTING', checks(config, parts));
  const closeHealth = await serveHealthOf(config, look, site);
  const hasMetrics = config.metrics !== null || config.otlp?.signals.includes('metrics') === true;
  const endReports = hasMetrics ? reportReadiness(look, Runtime.instance().metricMeter) : () => undefined;
  const closePorts = async () => {
    endReports();
    parts.endReads?.();
    await Promise.all([closeHealth(), closeMetrics(), closeLog()]);
  };
  try {
    return await start(config, app, { log, parts, closePorts, liveBus, appModule });
  } catch (error) {
    await closePorts();
    throw error;
  }
}

/** What the readiness checks need, and the end of the process, filled while the worker starts. */
interface Parts {
  connection?: NativeConnection;
  worker?: Worker;
  store?: Store;
  keys?: Keys | null;
  endReads?(): void;
}

interface StartContext {
  log: ProcessLog['log'];
  parts: Parts;
  closePorts(): Promise<void>;
  liveBus: LiveBus | null;
  appModule: string | undefined;
}

async function start(
  config: Config,
  userApp: App,
  { log, parts, closePorts, liveBus, appModule }: StartContext,
): Promise<RunningWorker> {
  const approvals = approvalsChannel(config);
  const keys = config.codecKeys === null ? null : await (await import('./encryption/index.js')).openKeys(config.codecKeys, log);
  parts.keys = keys;
  if (keys !== null) parts.endReads = keys.readOnTime();
  const store = (parts.store = await openStoreOf({ ...config, codecKeys: keys }));
  const model = await openModel(config);
  const served = (next: App) => (config.rehearsesAll ? withoutProviders(next, model.provider) : next);
  const app = served(userApp);
  const connection = (parts.connection = await connect(config));
  const running = new Running();
  const { drainMs, taskQueue, health, metrics, maxCachedWorkflows } = config;
  const options = {
    shutdownGraceTime: drainMs,
    shutdownForceTime: drainMs + LAST_MS,
    ...optional({ maxCachedWorkflows }),
  };
  const { namespace } = config.temporal;
  const deployment = config.deployment ?? null;
  const notifier = notifierOf(config);
  const registry = new Registry(app, {
    approvals: { channel: approvals, notify: notifier !== null },
    ...optional({ environment: config.environment }),
  });
  const outside = await mcpServers(config, store, log);
  const traces = config.otlp?.signals.includes('traces') ? openTraces(config.otlp, 'holdfast-worker') : null;
  const live = openLive(config, log) ?? liveBus ?? NO_LIVE;
  const engine = {
    app,
    ...optional({ appModule }),
    live,
    ...(outside ? { outside } : {}),
    registry,
    connection,
    address: config.temporal.address,
    namespace,
    taskQueue,
    store,
    model: model.provider,
    defaultModel: model.defaultModel,
    log,
    running,
    deployment,
    debugInfo: config.debugInfo,
    childrenMayReadSecrets: config.childrenMayReadSecrets,
    workflowStacks: config.workflowStacks,
    publicUrl: config.publicUrl,
    pageUrl: config.pageUrl,
    ...(keys === null ? {} : { codecKeys: keys }),
    approvals,
    traces,
    trust: new FileTrust({ path: config.trustedKeys, namespace, log }),
    signingKey: () => signingKeyOf(config),
    ...(config.oldDigestsUntil ? { oldDigestsUntil: config.oldDigestsUntil } : {}),
    ...(notifier ? { notifier } : {}),
    ...(config.http.callbacks ? { callbacks: callbackSender(config.http.callbacks) } : {}),
    options,
  };
  const idle = withoutNewTurns(deployment, await routingOf(connection, namespace, taskQueue), namespace);
  const worker = (parts.worker = await createWorker(engine));
  const sweep = config.bundles === null ? null : await import('./worker/audit-bundle-sweep.js');
  const codec = keys === null ? null : await (await import('./encryption/index.js')).openCodec(keys, namespace);
  const isOld = async () => isSuperseded(deployment, await routingOf(connection, namespace, taskQueue));
  const endSweep = sweep?.startSweep(config.bundles!, config, { connection, codec, store, log, isSuperseded: isOld });
  if (app.schedules === undefined) void reportSchedules({ client: makeClient({ connection, namespace, codec }), taskQueue, log });
  const endThreads = useThreads();
  const finished = worker.run().finally(async () => {
    await endThreads();
    await endSweep?.();
    await live.close();
    await connection.close();
    await model.close();
    await outside?.close();
    await traces?.close();
  });
  const facts = {
    agents: app.agents.map((agent) => agent.name),
    ...optional({ schedules: app.schedules?.map(scheduleInWords) }),
    model: describeModels(app, config, model),
    store: withoutPassword(config.store),
    taskQueue,
    temporal: config.temporal.address,
    approvals,
    deployment: deployment && label(deployment),
    notice: idle && `${idle.notice} ${idle.todo}`,
  };
  const { taskQueue: task_queue, notice: _, ...shown } = facts;
  log.info({ ...shown, task_queue, version, pid: process.pid, health, metrics, drain_ms: drainMs }, 'worker started');
  if (idle !== null) log.warn({ deployment: facts.deployment, task_queue, notice: idle.notice, todo: idle.todo }, 'no new turns');
  let draining: Promise<DrainReport> | undefined;
  return {
    facts,
    finished,
    replace: (next) => registry.replace(served(next)),
    stop: () => (draining ??= drain(stoppable(worker, finished), running, drainMs, log).finally(closePorts)),
  };
}

/** Null: no servers are configured, and the MCP code is not loaded. @throws BadServersFile */
async function mcpServers({ mcp, home }: Config, store: Store, log: ToolLogger): Promise<McpServers | null> {
  if (!existsSync(mcp)) return null;
  const { McpServers: Servers, readServers, acceptedPath } = await import('./mcp/index.js');
  return new Servers({ servers: readServers(mcp), accepted: acceptedPath(mcp), loginFolder: mcpLogins(home), store, log });
}

/** @throws ConfigError for mail addresses without an SMTP server */
function notifierOf({ notify, smtp, uiUrl, pageUrl, temporal }: Config): Notifier | null {
  if (notify.mail.length > 0 && smtp === null)
    throw new ConfigError('HOLDFAST_NOTIFY_MAIL is set but HOLDFAST_SMTP_HOST is not; set it, and HOLDFAST_SMTP_FROM.');
  const mail = notify.mail.length > 0 ? { ...smtp!, to: notify.mail } : null;
  const { webhook, slack, teams } = notify;
  return createNotifier({ webhook, slack, teams, mail, uiUrl, pageUrl, namespace: temporal.namespace });
}

async function serveHealthOf({ health }: Config, look: () => Promise<Finding[]>, site: Site): Promise<() => Promise<void>> {
  if (health === null) return async () => undefined;
  const { serveHealth } = await import('./telemetry/health.js'); // the HTTP server is loaded only where it is needed
  return serveHealth(health, look, site);
}

function stoppable(worker: Worker, completion: Promise<void>) {
  return {
    shutdown: () => {
      if (worker.getState() === 'RUNNING') worker.shutdown();
    },
    finished: completion,
  };
}

function keysCheck(parts: Parts): Check {
  return {
    name: 'keys',
    look: async () => {
      const fault = parts.keys?.fault ?? null;
      if (fault !== null) throw new Error(fault);
    },
    todo: 'The key ring that was read last is used meanwhile. Mend this before you rotate or remove keys.',
  };
}

function checks({ temporal, store, codecKeys }: Config, parts: Parts): Check[] {
  return [
    {
      name: 'temporal',
      // Called only while the worker runs, so the connection exists.
      look: () => parts.connection!.withDeadline(Date.now() + 2000, () => parts.connection!.workflowService.getSystemInfo({})),
      todo: `No answer from ${temporal.address}: is the server up, and is it reachable from here?`,
    },
    {
      name: 'store',
      look: () => parts.store!.checkWritable(),
      todo: `${withoutPassword(store)} cannot be written: is there room, and may this user write there?`,
    },
    ...(codecKeys === null ? [] : [keysCheck(parts)]),
  ];
}

async function connect({ temporal }: Config): Promise<NativeConnection> {
  try {
    return await NativeConnection.connect(temporal.connectionOptions);
  } catch (error) {
    throw new ServerUnreachable(temporal.address, error);
  }
}
