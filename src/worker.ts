/** Composition root: checks the parts of a worker and builds the Temporal worker from them. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { type NativeConnection, Runtime, Worker, type WorkerOptions } from '@temporalio/worker';
import { createActivities } from './activities';
import { type Engine, PolicyArchive } from './activities/step/agent-definition';
import { type CallbackSender, type Notifier, type RunOutcome, TRUSTS_NOBODY, type Trust } from './activities/ports';
import { OLD_DIGESTS_MS } from './activities/checks/resolve-call';
import type { App } from './agents/define';
import { approvalsChannel, type Channel } from './config/http';
import { ConfigError } from './config/error';
import type { CodecKeys } from './encryption/key-source';
import { dataConverterOf } from './temporal/data-converter';
import { temporalIntents, temporalBudgets } from './temporal/entities';
import { makeClient } from './temporal/make-client';
import { temporalTurnEnds } from './temporal/turn-ends';
import { temporalTurns } from './temporal/turns';
import { NO_LIVE, type LiveBus } from './live/bus';
import { ModelGate, type GateOptions } from './model/limits/gate';
import { Models } from './model/models';
import type { ModelProvider } from './model/provider';
import { acceptNoIsolation } from './processes/isolation';
import { isCurrent, routingOf, type Version } from './temporal/worker-versions';
import type { Store } from './store/store';
import { activityLog } from './telemetry/activity-log';
import { Running } from './telemetry/running';
import { activityMetrics, countFromZero } from './telemetry/activity-metrics';
import { sdkModelMetrics } from './telemetry/model-metrics';
import type { ProcessTraces } from './telemetry/traces/open';
import { traceSinks } from './telemetry/traces/workflow-spans';
import { sdkToolMetrics, type ToolMetrics } from './telemetry/tool-metrics';
import { ResultCache, SingleFlight } from './tools/run/cache';
import { crowdingWarning } from './tools/catalogue/catalogue';
import { ToolThreads } from './tools/isolation/tool-threads';
import { ToolGate } from './tools/limits/gate';
import { Registry } from './tools/catalogue/registry';
import { NO_SOURCE, type ToolSource } from './tools/catalogue/tool-source';
import { cachedWorkflows, memoryOfProcess } from './worker/cached-workflows';
import { watchEventLoop } from './worker/event-loop-watch';
import { checkModels, warnOfMisfits, warnOfPrices } from './worker/models-at-start';
import { keepSchedules } from './schedules/at-start';
import { scheduleSigner } from './worker/schedule-signer';
import { workflowBundle, type WorkflowBundle } from './worker/workflow-bundle';
import { version } from './version';
import { NAMESPACE_ATTRIBUTES } from './shared/search-attributes';
import type { Tool, ToolLogger } from './tools/define/tool';
import { optional } from './shared/json/optional';

export interface WorkerParts {
  app: App;
  /** The app's registry, for a caller that wants to `replace` the app of a running worker. Default: one of the worker's own. */
  registry?: Registry;
  /** Tools of MCP servers, which are not part of the app. Default: none. */
  outside?: ToolSource;
  /** Name of the environment, for tools that list environments. */
  environment?: string;
  connection: NativeConnection;
  namespace: string;
  taskQueue: string;
  store: Store;
  /** The worker's own provider, for agents whose model has none in the app. Needed if there are such agents. */
  model?: ModelProvider;
  /** For agents that name no model. Default: that of `model`, if it is for one model. */
  defaultModel?: string;
  log: ToolLogger;
  /** Records what the worker is running, for the code that stops it. */
  running?: Running;
  /** Where tool calls are counted. Default: the SDK's meter, which `Runtime.install` exports. */
  metrics?: ToolMetrics;
  /** This worker's version, for Temporal's worker versioning; absent or null: none. */
  deployment?: Version;
  /** Whether a call that asks for `debug_info` gets it. Default false. */
  debugInfo?: boolean;
  /** Base of the gateway's addresses, for files that are downloaded. Default http://localhost:8480. */
  publicUrl?: string;
  /** The same for links to the page in messages to people; null: none. Default: `publicUrl`, if that is set. */
  pageUrl?: string | null;
  /** Sends the model's text as it is written, and progress, to clients that watch. Default: to none. */
  live?: LiveBus;
  /** HOST:PORT of the server that `connection` reaches. */
  address?: string;
  /**
   * What every approval needs at least: `any`, names as claimed; `attested`, a signed decision. Default `any` if `address` is on
   * loopback.
   */
  approvals?: 'any' | 'attested';
  /** Whose signed decisions count. Default: nobody's. */
  trust?: Trust;
  /**
   * File of the private key that signs the starts of the app's schedules, as a gateway's does; a function is asked at each firing.
   * Absent or null: they are not signed.
   */
  signingKey?: string | null | (() => string | null);
  /** Notifies people that they have to decide. */
  notifier?: Notifier;
  /** Sends turns' callbacks. Default: none are sent. */
  callbacks?: CallbackSender;
  /**
   * Until when destructive calls may run in turns that began with digests of version 1. Default: 30 days after the store got its
   * id.
   */
  oldDigestsUntil?: Date;
  /** Lets commands and MCP servers run even where they could read the secrets of this user's processes (docs/workspace.md). */
  childrenMayReadSecrets?: boolean;
  /** Path of the module whose default export is `app`; threads load it for tools with `isolate: true`. */
  appModule?: string;
  /** Threads for isolated tools: how many (default 4), and the heap of each, MB (default 512). */
  isolation?: { threads?: number; heapMb?: number };
  /** Temporal's Web UI shows the call stack of a running turn; each promise of workflow code then costs 70 µs of CPU. Default false. */
  workflowStacks?: boolean;
  /** How the limits of models are kept, for tests: a shorter window than a minute. */
  modelGate?: GateOptions;
  /**
   * The key ring with which all payloads in Temporal are encrypted: the path of a file, a command that prints it, or a key service.
   * Default: payloads are plain. The store has keys of its own: pass the same to `openStore`.
   */
  codecKeys?: CodecKeys;
  /** Where spans of turns go (`openTraces`). Absent or null: nowhere. */
  traces?: ProcessTraces | null;
  /** Temporal's own options, for tests and tuning. */
  options?: Partial<WorkerOptions>;
}

/**
 * A Temporal worker that serves the app's agents.
 * @throws MissingSearchAttributes when the namespace lacks one of ours: a workflow that writes it would retry for ever
 * @throws ConfigError when `approvals` is not set and others could reach the server; for an isolated tool without `appModule`
 * @throws BadKeyRing
 * @example
 * const worker = await createWorker({ app, model, store, connection, namespace: 'default', taskQueue: 'holdfast', defaultModel, log });
 * await worker.run();
 */
export async function createWorker(parts: WorkerParts): Promise<Worker> {
  const { app, connection, namespace, taskQueue, store, log } = parts;
  const channel = channelOf(parts);
  if (channel === 'attested' && parts.registry?.channel === 'any')
    throw new ConfigError(
      "The registry takes any decision, and this worker signed ones only: make it with {approvals: {channel: 'attested', …}}.",
    );
  const models = modelsOf(parts);
  checkModels(app, models);
  const unpriced = new Set(warnOfPrices(app, models, log));
  if (parts.childrenMayReadSecrets) acceptNoIsolation();
  const toolThreads = toolThreadsOf(parts);
  await checkSearchAttributes(connection, namespace);
  const { outside = NO_SOURCE } = parts;
  checkServers(app, outside);
  warnOfManyTools(app, log);
  const caches = { cache: new ResultCache(), flights: new SingleFlight<RunOutcome>(), unpriced };
  const gate = new ToolGate(store.registers, log);
  const modelGate = new ModelGate(store.registers, log, parts.modelGate);
  const meter = Runtime.instance().metricMeter;
  const modelMetrics = sdkModelMetrics(meter);
  const metrics = parts.metrics ?? sdkToolMetrics(meter);
  const { traces = null } = parts;
  const { deployment = null, debugInfo = false, publicUrl = 'http://localhost:8480' } = parts;
  const { environment, trust = TRUSTS_NOBODY, notifier = null, callbacks = null, live = NO_LIVE } = parts;
  const approvals = { channel, notify: notifier !== null };
  const { registry = new Registry(app, { approvals, ...optional({ environment }) }) } = parts;
  warnOfMisfits(registry.all(), models, log);
  registry.beforeReplace((next, agents) => {
    checkModels(next, models);
    for (const name of warnOfPrices(next, models, log)) unpriced.add(name);
    warnOfMisfits(agents, models, log);
  });
  registry.beforeReplace((next) => (toolThreads === null ? needsModule(next) : isolatedTool(next) && toolThreads.renew()));
  const codec = await codecOf(parts);
  const client = makeClient({ connection, namespace, codec });
  const intents = temporalIntents(client, taskQueue);
  const budgets = temporalBudgets(client, taskQueue);
  const turns = temporalTurns(client, (identity) => makeClient({ connection, namespace, codec, identity }));
  const entities = { intents, budgets, turns, turnEnds: temporalTurnEnds(client) };
  const running = parts.running ?? new Running();
  const services = {
    ...entities,
    outside,
    trust,
    signStart: scheduleSigner(parts.signingKey ?? null, namespace),
    notifier,
    callbacks,
    live,
    registry,
    toolThreads,
    gate,
    modelGate,
    modelMetrics,
    metrics,
    running,
    debugInfo,
    publicUrl,
    pageUrl: parts.pageUrl === undefined ? (parts.publicUrl ?? null) : parts.pageUrl,
    oldDigestsUntil: parts.oldDigestsUntil?.getTime() ?? Date.parse(store.identity.made_at) + OLD_DIGESTS_MS,
    ...caches,
  };
  const bundle = await ownBundle(parts);
  const archive = new PolicyArchive(store, engineOf(parts, models, bundle));
  const deps = { ...services, archive, store, models, log };
  const worker = await Worker.create({
    connection,
    namespace,
    taskQueue,
    dataConverter: dataConverterOf(codec),
    ...(bundle === null ? {} : { workflowBundle: bundle.option }),
    activities: createActivities(deps) as unknown as Record<string, (input: never) => Promise<unknown>>,
    // Progress and cancellations arrive within this time; the SDK's default is most of the heartbeat timeout.
    maxHeartbeatThrottleInterval: '200 milliseconds',
    defaultHeartbeatThrottleInterval: '200 milliseconds',
    maxEagerActivityReservationsPerWorkflowTask: 10,
    maxCachedWorkflows: cachedWorkflows(memoryOfProcess()),
    interceptors: {
      activity: [...(traces === null ? [] : [traces.activities]), activityLog(log, running), activityMetrics(meter)],
    },
    sinks: traces?.sinks ?? traceSinks(null),
    shutdownGraceTime: '10 seconds',
    ...deploymentOptions(deployment),
    ...parts.options,
  });
  countFromZero(meter, registry.all());
  const hasEnded = () => ['STOPPED', 'FAILED'].includes(worker.getState());
  const ownVersion = {
    isCurrent: async () => isCurrent(deployment, await routingOf(connection, namespace, taskQueue)),
    hasEnded,
  };
  const applyNext = await keepSchedules({ client, taskQueue, log }, app.schedules, ownVersion);
  registry.beforeReplace((next) => void applyNext(next.schedules));
  watchEventLoop(running, log, hasEnded);
  return worker;
}

/** @throws ConfigError for a provider of several models without the name of one */
function modelsOf({ model, defaultModel = model?.model }: WorkerParts): Models {
  if (model === undefined) return new Models(null);
  if (defaultModel !== undefined) return new Models({ provider: model, defaultModel });
  throw new ConfigError(
    `createWorker needs defaultModel: the provider ${model.name} serves several models, so name the one of agents that name none.`,
  );
}

/** A connection does not show its address. @throws ConfigError */
function channelOf({ approvals, address }: WorkerParts): Channel {
  if (approvals !== undefined || address !== undefined)
    return approvalsChannel({ ...optional({ approvals }), temporal: { address: address ?? '' } });
  throw new ConfigError(
    "createWorker needs approvals or address: pass approvals: 'attested' if only signed decisions count, approvals: 'any' if all who reach the Temporal server may approve, or address: '127.0.0.1:7233' if the server is there (docs/approvals.md).",
  );
}

/** @throws ConfigError if a tool of the app is isolated */
function needsModule(app: App): null {
  const tool = isolatedTool(app);
  if (tool === undefined) return null;
  throw new ConfigError(
    `The tool ${tool.name} has isolate: true, and this worker is not told which module its threads shall load: pass appModule, the path of the module whose default export is the app; or leave isolate out (docs/tools.md).`,
  );
}

function isolatedTool({ agents, tools }: App): Tool | undefined {
  return [...agents.flatMap((agent) => agent.tools), ...tools].find(({ isolate }) => isolate === true);
}

/** Null: no tool is isolated. @throws ConfigError for an isolated tool without `appModule` */
function toolThreadsOf({ app, appModule, isolation = {} }: WorkerParts): ToolThreads | null {
  if (appModule === undefined) return needsModule(app);
  const path = resolve(appModule);
  if (!existsSync(path)) throw new ConfigError(`appModule is ${appModule}, and there is no such file.`);
  return new ToolThreads(path, isolation);
}

/** @throws ConfigError for an agent with an MCP server that is not configured */
function checkServers(app: App, { servers }: ToolSource): void {
  for (const { name, mcpServers } of app.agents) {
    const missing = mcpServers.filter((server) => !servers.includes(server));
    if (missing.length > 0)
      throw new ConfigError(
        `Agent ${name} has the MCP server ${missing.join(', ')}, and this worker knows ${servers.join(', ') || 'none'}: add it to the file of HOLDFAST_MCP, or by \`holdfast mcp add\` (docs/mcp.md).`,
      );
  }
}

function warnOfManyTools(app: App, log: ToolLogger): void {
  for (const { name, catalogue, tools } of app.agents) {
    const todo = crowdingWarning(catalogue, tools);
    if (todo !== null) log.warn({ agent: name, tools: tools.length, todo }, 'an agent shows many tools at once');
  }
}

/** PINNED: a turn ends on the version that began it, also after continue-as-new. A redeploy does not change a running turn. */
function deploymentOptions(deployment: Version): Pick<WorkerOptions, 'workerDeploymentOptions'> {
  if (deployment === null) return {};
  const version = { deploymentName: deployment.name, buildId: deployment.buildId };
  return { workerDeploymentOptions: { version, useWorkerVersioning: true, defaultVersioningBehavior: 'PINNED' } };
}

/** Null: payloads are plain. @throws BadKeyRing */
async function codecOf({ codecKeys, namespace }: WorkerParts) {
  return codecKeys === undefined ? null : (await import('./encryption/index.js')).openCodec(codecKeys, namespace);
}

/** Null: the options bring their own workflows. */
async function ownBundle({ options = {}, workflowStacks = false, codecKeys }: WorkerParts): Promise<WorkflowBundle | null> {
  const hasOwnBundle = options.workflowBundle !== undefined || options.workflowsPath !== undefined;
  return hasOwnBundle ? null : workflowBundle({ stacks: workflowStacks, encrypts: codecKeys !== undefined });
}

/** Versions and default model of this worker, for the record. */
function engineOf({ deployment }: WorkerParts, { own }: Models, bundle: WorkflowBundle | null): Engine {
  return {
    defaultModel: own?.defaultModel ?? '',
    holdfast: version,
    buildId: deployment?.buildId ?? null,
    workflowBundle: bundle?.hash ?? null,
  };
}

export class MissingSearchAttributes extends Error {
  override readonly name = 'MissingSearchAttributes';
  constructor(
    namespace: string,
    readonly missing: string[],
  ) {
    const create = `temporal operator search-attribute create --namespace ${namespace}`;
    const commands = missing.map((name) => `${create} --name ${name} --type ${NAMESPACE_ATTRIBUTES.get(name)}`);
    super(`The namespace ${namespace} lacks search attributes that turns write. Create them:\n${commands.join('\n')}`);
  }
}

type Operator = Pick<NativeConnection, 'operatorService'>;

/** @throws MissingSearchAttributes */
export async function checkSearchAttributes(connection: Operator, namespace: string): Promise<void> {
  const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
  const missing = [...NAMESPACE_ATTRIBUTES.keys()].filter((name) => !Object.hasOwn(customAttributes ?? {}, name));
  if (missing.length > 0) throw new MissingSearchAttributes(namespace, missing);
}

// `npx tsx src/worker.ts` runs a worker, as `holdfast worker` does.
if (require.main === module) {
  process.argv.splice(2, 0, 'worker');
  void import('./cli/main.js');
}
