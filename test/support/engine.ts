import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomBytes } from 'node:crypto';
import { Client, Connection } from '@temporalio/client';
import { DefaultLogger, NativeConnection, Runtime, Worker, type WorkerOptions } from '@temporalio/worker';
import { defineAgent, defineApp, type AgentDefinition } from '../../src/agents/define';
import { HoldfastClient, type StartTurn } from '../../src/client';
import type { TurnHandle } from '../../src/client/turn-handle';
import { dataConverter } from '../../src/data-converter';
import type { ModelProvider } from '../../src/model/provider';
import { FileStore } from '../../src/store/file-store';
import type { Store } from '../../src/store/store';
import type { Tool, ToolLogger } from '../../src/tools/define';
import { createWorker, workflowBundlePath } from '../../src/worker';
import { silent } from './silent';
import { recomputeDigests } from './recompute-digests';
import { ScriptedModel, type Answer } from './scripted-model';

export interface Setup {
  tools?: Tool[];
  script?: Answer[];
  model?: ModelProvider;
  agent?: Partial<Omit<AgentDefinition, 'name' | 'tools'>>;
  worker?: Partial<WorkerOptions>;
  store?: Store;
  log?: ToolLogger;
  /** Another server than the shared one. */
  address?: string;
}

export interface Engine {
  client: HoldfastClient;
  model: ScriptedModel;
  store: Store;
  taskQueue: string;
  /** The worker's. */
  connection: NativeConnection;
  start(message?: string, more?: Partial<StartTurn>): Promise<TurnHandle>;
}

export function testAddress(): string {
  const address = process.env.HOLDFAST_TEST_ADDRESS;
  if (!address) throw new Error('The test server is not running; jest starts it in test/support/global-setup.');
  return address;
}

/**
 * Runs `body` beside a worker of its own, on the test server. Afterwards every turn that was started
 * is replayed, and its digests are recomputed from what was recorded.
 */
export async function withEngine(setup: Setup, body: (engine: Engine) => Promise<void>): Promise<void> {
  quietRuntime();
  const address = setup.address ?? testAddress();
  const directory = await mkdtemp(join(tmpdir(), 'holdfast-engine-'));
  const taskQueue = `test-${randomBytes(6).toString('hex')}`;
  const connection = await NativeConnection.connect({ address });
  const clientConnection = await Connection.connect({ address });
  const client = new HoldfastClient(new Client({ connection: clientConnection, dataConverter }), { taskQueue, uiUrl: null });
  const store = setup.store ?? (await FileStore.open(directory));
  const model = setup.model ?? new ScriptedModel(setup.script ?? []);
  const app = defineApp({ agents: [defineAgent({ name: 'tester', prompt: 'Test.', ...setup.agent, tools: setup.tools ?? [] })] });
  const parts = {
    app,
    connection,
    namespace: 'default',
    taskQueue,
    store,
    model,
    defaultModel: 'scripted',
    log: setup.log ?? silent,
  };
  const worker = await createWorker({ ...parts, options: { shutdownGraceTime: '1 second', ...setup.worker } });
  const started: TurnHandle[] = [];
  const engine: Engine = {
    client,
    model: model as ScriptedModel,
    store,
    taskQueue,
    connection,
    start: async (message = 'Do it.', more = {}) => {
      const turn = await client.start({ agent: 'tester', message, ...more });
      started.push(turn);
      return turn;
    },
  };
  try {
    await worker.runUntil(() => body(engine));
    for (const turn of started) await replayed(client, turn);
  } finally {
    await clientConnection.close();
    await connection.close();
    await rm(directory, { recursive: true, force: true });
  }
}

let installed = false;

/** Attempts that fail on purpose would fill the output. Not at load: a runtime without a worker keeps Jest from ending. */
function quietRuntime(): void {
  if (installed) return;
  installed = true;
  Runtime.install({ logger: new DefaultLogger('ERROR'), telemetryOptions: { logging: { forward: {}, filter: 'ERROR' } } });
}

/** Replays a turn's history as it stands, and recomputes its digests. */
export async function replayed(client: HoldfastClient, turn: TurnHandle): Promise<void> {
  const history = await client.temporal.workflow.getHandle(turn.workflowId).fetchHistory();
  await Worker.runReplayHistory({ workflowBundle: { codePath: workflowBundlePath() }, dataConverter }, history, turn.workflowId);
  recomputeDigests(history);
}

export async function eventually<T>(what: string, probe: () => Promise<T | undefined | false>, within = 30_000): Promise<T> {
  const until = Date.now() + within;
  for (;;) {
    const found = await probe();
    if (found !== undefined && found !== false) return found;
    if (Date.now() > until) throw new Error(`Did not happen within ${within} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
