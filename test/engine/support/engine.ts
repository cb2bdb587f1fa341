import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { DefaultLogger, Runtime, type NativeConnection, type WorkerOptions } from '@temporalio/worker';
import { trustedEntry } from '../../../src/attestation/gateway-key';
import { SigningKey } from '../../../src/attestation/signing-key';
import { verifyBundle } from '../../../src/audit/verify';
import { defineAgent, defineApp, type App } from '../../../src/agents/define';
import type { HoldfastClient, PendingTurn, StartTurn } from '../../../src/client';
import type { CallHandle, DirectCall } from '../../../src/client/turns/direct-call';
import type { TurnHandle } from '../../../src/client/turns/turn-handle';
import type { Keys } from '../../../src/encryption/key-source';
import { optional } from '../../../src/shared/json/optional';
import type { ModelProvider } from '../../../src/model/provider';
import type { Store } from '../../../src/store/store';
import type { ToolMetrics } from '../../../src/telemetry/tool-metrics';
import { makeTestEngine } from '../../../src/testing/agent/test-engine';
import type { WorkerParts } from '../../../src/worker';
import type { Registry } from '../../../src/tools/catalogue/registry';
import { STATUS_QUERY, TURNS_AND_CALLS } from '../../../src/workflows/contract';
import { bundleOf } from '../../support/bundle-of';
import { runs } from '../../support/runs';
import { ScriptedModel, type Answer } from '../../support/scripted-model';
import { connectionsTo } from './connections';
import { keepForReplay } from './replays';
import { shareBundles } from './shared-bundle';
import type { TestTime } from './time-server';
import type { Tool, ToolLogger } from '../../../src/tools/define/tool';
import type { AgentDefinition } from '../../../src/agents/agent';

export interface Setup {
  tools?: Tool[];
  /** Instead of one agent `tester` with these tools. */
  app?: App;
  script?: Answer[];
  model?: ModelProvider;
  agent?: Partial<Omit<AgentDefinition, 'name' | 'tools'>>;
  worker?: Partial<WorkerOptions>;
  store?: Store;
  /** Instead of one over `tools`. */
  registry?: Registry;
  log?: ToolLogger;
  /** Further options of the worker. */
  settings?: Partial<
    Pick<
      WorkerParts,
      | 'debugInfo'
      | 'deployment'
      | 'publicUrl'
      | 'pageUrl'
      | 'approvals'
      | 'trust'
      | 'signingKey'
      | 'notifier'
      | 'outside'
      | 'callbacks'
      | 'live'
      | 'oldDigestsUntil'
      | 'appModule'
      | 'isolation'
      | 'modelGate'
      | 'traces'
    >
  >;
  /** File of the key that the client signs starts with. */
  signingKey?: string;
  metrics?: ToolMetrics;
  /** The task queue of an earlier engine, to go on with its turns. */
  taskQueue?: string;
  /** Another server than the shared one. */
  address?: string;
  /** The test skips time: it runs on the server of this one. */
  time?: TestTime;
  /** Worker, client and store encrypt with these. */
  codecKeys?: Keys;
  /** The test writes into the store what the engine would not write: no bundle of it can be verified. */
  madeUp?: boolean;
}

export interface Engine {
  client: HoldfastClient;
  model: ScriptedModel;
  store: Store;
  taskQueue: string;
  /** The worker's. */
  connection: NativeConnection;
  start(message?: string, more?: Partial<StartTurn>): Promise<TurnHandle>;
  call(tool: string, input?: DirectCall['input'], more?: Partial<DirectCall>): Promise<CallHandle>;
}

export function testAddress(): string {
  const address = process.env.HOLDFAST_TEST_ADDRESS;
  if (!address) throw new Error('The test server is not running; jest starts it in test/engine/support/global-setup.');
  return address;
}

/**
 * Runs `body` beside a worker of its own, on the test server. Afterwards the bundle of every turn is verified, and each turn that
 * was started is replayed, with its digests recomputed from what was recorded.
 */
export async function withEngine(setup: Setup, body: (engine: Engine) => Promise<void>): Promise<void> {
  quietRuntime();
  shareBundles();
  const address = setup.address ?? (await setup.time?.begin()) ?? testAddress();
  try {
    await withWorker(address, setup, body);
  } finally {
    await setup.time?.end();
  }
}

async function withWorker(address: string, setup: Setup, body: (engine: Engine) => Promise<void>): Promise<void> {
  const connections = await connectionsTo(address);
  const model = setup.model ?? new ScriptedModel(setup.script ?? []);
  const app =
    setup.app ??
    defineApp({ agents: [defineAgent({ name: 'tester', prompt: 'Test.', ...setup.agent, tools: setup.tools ?? [] })] });
  const { log, store: given, taskQueue: earlier, metrics, registry, codecKeys } = setup;
  const made = await makeTestEngine(
    { address, ...connections },
    {
      ...{ app, model, defaultModel: 'scripted', ...setup.settings, options: setup.worker ?? {} },
      ...optional({ log, store: given, taskQueue: earlier, metrics, registry, codecKeys }),
    },
    optional({ signingKey: setup.signingKey }),
  );
  const { client, store, taskQueue, worker } = made;
  const { temporal } = client;
  const started: TurnHandle[] = [];
  const engine: Engine = {
    client,
    model: model as ScriptedModel,
    store,
    taskQueue,
    connection: connections.worker,
    start: async (message = 'Do it.', more = {}) => {
      const turn = await client.start({ agent: 'tester', message, ...more });
      started.push(turn);
      return turn;
    },
    call: async (tool, input = {}, more = {}) => {
      const call = await client.call({ tool, input, ...more });
      started.push(call.turn);
      return call;
    },
  };
  try {
    setup.time?.keep(worker);
    await worker.runUntil(() => inTime(body(engine), temporal, taskQueue).finally(() => client.inbox.close()));
    await keepForReplay(temporal, ...started);
    const ids = setup.time?.skips ? started.map(({ id }) => id) : turnIds(temporal, taskQueue);
    if (!setup.madeUp) await recorded(client, store, ids);
  } finally {
    await made.removeStore();
  }
}

/** Shorter than the patience of Jest, which would not say what the test waits for. */
const ENDS_WITHIN_MS = 270_000;

async function inTime(body: Promise<void>, temporal: Client, taskQueue: string): Promise<void> {
  const ended = new AbortController();
  const late = async () => {
    await sleep(ENDS_WITHIN_MS, undefined, { signal: ended.signal, ref: false });
    throw new TooLate(`No end of the test within ${ENDS_WITHIN_MS} ms.`);
  };
  try {
    await Promise.race([body, late()]);
  } catch (error) {
    if (error instanceof TooLate)
      error.message += ` Still run: ${JSON.stringify(await running(temporal, taskQueue).catch(String))}`;
    throw error;
  } finally {
    ended.abort();
  }
}

/** The event that a test has waited for has not come. */
class TooLate extends Error {}

/** The status of each workflow, and the activities that it waits for. */
async function running({ workflow }: Client, taskQueue: string): Promise<object[]> {
  const found: object[] = [];
  for await (const { workflowId, type } of workflow.list({
    query: `TaskQueue = '${taskQueue}' AND ExecutionStatus = 'Running'`,
  })) {
    const handle = workflow.getHandle(workflowId);
    const { raw, runId, historyLength, historySize } = await handle.describe();
    const state: unknown = await handle.query(STATUS_QUERY).catch((error: Error) => error.message);
    const activities = raw.pendingActivities?.map(({ activityType, attempt, lastFailure }) => ({
      ...{ activity: activityType?.name, attempt, failure: lastFailure?.message },
    }));
    const view = JSON.stringify(state).slice(0, 2000);
    found.push({ workflowId, runId, type, historyLength, historySize, activities, task: raw.pendingWorkflowTask, view });
  }
  return found;
}

/** The errors that workers of this process have logged, of workflows and of the SDK. */
export const loggedErrors: { message: string; meta: Record<string | symbol, unknown> }[] = ((
  globalThis as { holdfastErrors?: typeof loggedErrors }
).holdfastErrors ??= []);

const EXPECTED_ERROR = /^a call is in doubt$/;

/** Attempts that fail on purpose would fill the output. Once a process: test files share the SDK. Not at load: a runtime without a worker keeps Jest from ending. */
export function quietRuntime(): void {
  const shared = globalThis as { holdfastQuiet?: boolean };
  if (shared.holdfastQuiet) return;
  shared.holdfastQuiet = true;
  const logger = new DefaultLogger('ERROR', (entry) => {
    loggedErrors.push({ message: entry.message, meta: entry.meta ?? {} });
    if (!EXPECTED_ERROR.test(entry.message)) process.stderr.write(`${entry.message}\n`);
  });
  Runtime.install({ logger, telemetryOptions: { logging: { forward: {}, filter: 'ERROR' } } });
}

/** Turns and direct calls that tests of this process have left behind. */
let ended = 0;

/**
 * Has the bundle of each turn and direct call verified, however it was started. People's signatures have tests of their own.
 * In short runs only each fourth bundle is verified: that takes longer than the turn itself.
 */
async function recorded(
  { temporal }: HoldfastClient,
  store: Store,
  ids: Iterable<string> | AsyncIterable<string>,
): Promise<void> {
  const key = SigningKey.generate();
  const trust = [trustedEntry(key, { bundle: true })];
  for await (const id of ids) {
    if (ended++ % runs(4, 1) !== 0) continue;
    const text = await bundleOf(temporal, store, id, key);
    const { verdict, line, rule, why } = await verifyBundle([Buffer.from(text)], trust);
    if (verdict === 'intact') continue;
    const file = join('.holdfast', 'failed-bundles', `${basename(id)}.jsonl`);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    throw new Error(`The bundle of ${id} is ${verdict} at line ${line} (${rule}): ${why} It is kept in ${file}`);
  }
}

/** Each workflow once, however many runs it has. */
async function* turnIds(temporal: Client, taskQueue: string): AsyncGenerator<string> {
  const seen = new Set<string>();
  for await (const { workflowId } of temporal.workflow.list({ query: `TaskQueue = '${taskQueue}' AND ${TURNS_AND_CALLS}` })) {
    if (!seen.has(workflowId)) yield workflowId.replace(/^turn\//, '');
    seen.add(workflowId);
  }
}

/** The turn in the list of waiting calls, with its calls: on a busy machine no worker may have listed them within five seconds. */
export function listedAsWaiting(client: HoldfastClient, turnId: string): Promise<PendingTurn> {
  return eventually('it is listed with its calls', async () =>
    (await client.pending()).find(({ turn_id, unreachable }) => turn_id === turnId && unreachable === null),
  );
}

/** Looks often at first, and later every half second: each look at a turn is work for its worker. */
export async function eventually<T>(what: string, probe: () => Promise<T | undefined | false>, within = 60_000): Promise<T> {
  const began = Date.now();
  for (;;) {
    const found = await probe();
    if (found !== undefined && found !== false) return found;
    const waited = Date.now() - began;
    if (waited > within) throw new TooLate(`Did not happen within ${within} ms: ${what}`);
    await sleep(Math.min(500, 25 + waited / 8));
  }
}
