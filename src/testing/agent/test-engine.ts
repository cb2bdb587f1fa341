/** The engine beside which agents are tested, and this project's own tests run: a worker with a store of its own, and a client. */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Connection } from '@temporalio/client';
import { DefaultLogger, NativeConnection, Runtime, type Worker } from '@temporalio/worker';
import type { App } from '../../agents/define';
import { type ClientSettings, HoldfastClient } from '../../client/holdfast-client';
import { openCodec } from '../../encryption';
import { FileStore } from '../../store/files/file-store';
import type { Store } from '../../store/store';
import { connectTemporal } from '../../temporal/connect';
import { makeClient } from '../../temporal/make-client';
import type { ToolLogger } from '../../tools/define/tool';
import { createWorker, type WorkerParts } from '../../worker';
import { type TestServer, testServer } from './test-server';

const NAMESPACE = 'default';
const SILENT: ToolLogger = { debug() {}, info() {}, warn() {}, error() {} };
/** A test has few turns at once; each open poll is work for the server. */
const FEW_POLLS = { maxConcurrentWorkflowTaskPolls: 2, maxConcurrentActivityTaskPolls: 2 };

/** Connections to a Temporal server. */
export interface TestConnections {
  worker: NativeConnection;
  client: Connection;
}

/** What the worker is given; what is absent is made for the test alone. */
export type EngineParts = Pick<WorkerParts, 'app'> & Partial<Omit<WorkerParts, 'connection' | 'namespace' | 'address'>>;

export interface TestEngine {
  /** The same client that a service has. */
  client: HoldfastClient;
  store: Store;
  taskQueue: string;
  /** It does not run yet. */
  worker: Worker;
  /** Removes the store that was made for the test. */
  removeStore(): Promise<void>;
}

export interface OpenTestEngine extends TestEngine {
  server: TestServer;
  /** Ends the worker, and removes its store. The server goes on. */
  close(): Promise<void>;
}

/**
 * A worker and its client on the server of these connections.
 * @param signingKey file of the key that the client signs starts with
 */
export async function makeTestEngine(
  { address, worker: connection, client: clientConnection }: TestConnections & { address: string },
  { log = SILENT, options, ...parts }: EngineParts,
  { signingKey = null }: Pick<ClientSettings, 'signingKey'> = {},
): Promise<TestEngine> {
  const { taskQueue = `test-${randomBytes(6).toString('hex')}`, codecKeys, live = null } = parts;
  const codec = codecKeys ? await openCodec(codecKeys, NAMESPACE) : null;
  const folder = parts.store ? null : await mkdtemp(join(tmpdir(), 'holdfast-engine-'));
  const removeStore = async () => void (folder && (await rm(folder, { recursive: true, force: true })));
  try {
    const store = parts.store ?? (await FileStore.open(folder!, codec?.keys));
    const temporal = makeClient({ connection: clientConnection, namespace: NAMESPACE, codec });
    const client = new HoldfastClient(temporal, { taskQueue, uiUrl: null, store, signingKey, live });
    const worker = await createWorker({
      ...{ ...parts, log, store, taskQueue, connection, address, namespace: NAMESPACE },
      // In the test's own thread the workflows start at once. Without a build id the SDK hashes the workflow bundle for each worker.
      options: { shutdownGraceTime: '1 second', debugMode: true, buildId: 'test', ...FEW_POLLS, ...options },
    });
    return { client, store, taskQueue, worker, removeStore };
  } catch (error) {
    await removeStore();
    throw error;
  }
}

/**
 * An engine that runs on the Temporal server of this process. The app's schedules do not begin.
 * @throws ConfigError, and whatever keeps the server or the worker from starting
 */
export async function openTestEngine({ app: { schedules: _, ...app }, ...parts }: EngineParts): Promise<OpenTestEngine> {
  const server = await testServer();
  quietSdk();
  const { address } = server;
  const connection = await NativeConnection.connect({ address });
  await server.time?.listSearchAttributesTo(connection);
  const client = await connectTemporal({ address, namespace: NAMESPACE, connectionOptions: { address } });
  const disconnect = async () => {
    await client.close();
    await connection.close();
  };
  try {
    const own = withOwnBudgets(app, randomBytes(6).toString('hex'));
    const engine = await makeTestEngine({ address, worker: connection, client }, { ...parts, app: own });
    const running = engine.worker.run();
    const close = async () => {
      engine.worker.shutdown();
      await running;
      await engine.client.close();
      await connection.close();
      await engine.removeStore();
    };
    return { ...engine, server, close };
  } catch (error) {
    await disconnect();
    throw error;
  }
}

/** The server is shared, and Temporal names a budget by its agent and its name: under another name it counts this engine's calls alone. */
function withOwnBudgets(app: App, id: string): App {
  const agents = app.agents.map((agent) => {
    const budgets = agent.budgets?.map((budget) => ({ ...budget, name: `${budget.name.slice(0, 51)}.${id}` }));
    return Object.freeze({ ...agent, budgets });
  });
  return Object.freeze({ ...app, agents });
}

/** The SDK logs each state of each worker. A test that has set its runtime up keeps it. */
function quietSdk(): void {
  if (Runtime.instantiator !== undefined) return;
  Runtime.install({
    logger: new DefaultLogger('ERROR'),
    telemetryOptions: { logging: { forward: {}, filter: 'ERROR' } },
    shutdownSignals: [], // who uses the engine decides what Ctrl-C does
  });
}
