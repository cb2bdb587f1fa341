/** The engine beside which agents are tested: a worker with a store of its own, and a client, on the Temporal server of the process. */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DefaultLogger, NativeConnection, Runtime, type Worker } from '@temporalio/worker';
import type { App } from '../../agents/define';
import { HoldfastClient } from '../../client/holdfast-client';
import type { ModelProvider } from '../../model/provider';
import { optional } from '../../shared/json/optional';
import { FileStore } from '../../store/files/file-store';
import type { Store } from '../../store/store';
import { connectTemporal } from '../../temporal/connect';
import { makeClient } from '../../temporal/make-client';
import type { ToolLogger } from '../../tools/define/tool';
import { createWorker } from '../../worker';
import { type TestServer, testServer } from './test-server';

const NAMESPACE = 'default';
const SILENT: ToolLogger = { debug() {}, info() {}, warn() {}, error() {} };

export interface EngineParts {
  app: App;
  /** For agents whose model has no provider in the app. */
  model?: ModelProvider;
  defaultModel?: string;
  /** The file whose default export is the app: for tools with `isolate: true`. */
  appModule?: string;
  /** Where the worker's log goes. Default: nowhere. */
  log?: ToolLogger;
}

export interface TestEngine {
  /** The same client that a service has. */
  client: HoldfastClient;
  server: TestServer;
  store: Store;
  worker: Worker;
  /** Ends the worker, and removes its store. The server goes on. */
  close(): Promise<void>;
}

/** The app's schedules do not begin. @throws ConfigError, and whatever keeps the server or the worker from starting */
export async function openTestEngine({ app: { schedules: _, ...app }, log = SILENT, ...more }: EngineParts): Promise<TestEngine> {
  const server = await testServer();
  quietSdk();
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-test-agent-'));
  const connection = await NativeConnection.connect({ address: server.address });
  await server.time?.listSearchAttributesTo(connection);
  const clientConnection = await connectTemporal({
    address: server.address,
    namespace: NAMESPACE,
    connectionOptions: { address: server.address },
  });
  const store = await FileStore.open(folder);
  const id = randomBytes(6).toString('hex');
  const taskQueue = `test-${id}`;
  const temporal = makeClient({ connection: clientConnection, namespace: NAMESPACE, codec: null });
  const client = new HoldfastClient(temporal, { taskQueue, uiUrl: null, store });
  const closeParts = async () => {
    await client.close();
    await connection.close();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const worker = await createWorker({
      ...{ app: withOwnBudgets(app, id), connection, address: server.address, namespace: NAMESPACE, taskQueue, store, log },
      ...optional({ model: more.model, defaultModel: more.defaultModel, appModule: more.appModule }),
      // In the test's own thread the workflows start at once.
      options: { shutdownGraceTime: '1 second', debugMode: true, buildId: 'test' },
    });
    const running = worker.run();
    const close = async () => {
      worker.shutdown();
      await running;
      await closeParts();
    };
    return { client, server, store, worker, close };
  } catch (error) {
    await closeParts();
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
