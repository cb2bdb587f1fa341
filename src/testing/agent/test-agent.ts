/** Runs an app beside a worker of its own, with a scripted model: what `testAgent` does. */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { msToNumber, type Duration } from '@temporalio/common/lib/time';
import { DefaultLogger, NativeConnection, Runtime, type Worker } from '@temporalio/worker';
import type { Agent } from '../../agents/agent';
import { type App, defineApp } from '../../agents/define';
import { HoldfastClient } from '../../client/holdfast-client';
import { complete } from '../../completions/complete';
import type { CompletionOutcome } from '../../completions/token';
import type { Store } from '../../store/store';
import type { StartTurn } from '../../client/turns/start-turn';
import type { TurnHandle } from '../../client/turns/turn-handle';
import { TurnEnded } from '../../client/errors';
import type { JsonObject } from '../../shared/json/json';
import { optional } from '../../shared/json/optional';
import { FileStore } from '../../store/files/file-store';
import { connectTemporal } from '../../temporal/connect';
import { makeClient } from '../../temporal/make-client';
import type { Tool, ToolContext, ToolLogger } from '../../tools/define/tool';
import { createWorker } from '../../worker';
import { DateAhead } from './date-ahead';
import { type Answer, ScriptedModel } from './scripted-model';
import { TIME_SERVER, type TestServer, testServer } from './test-server';

const NAMESPACE = 'default';

/** A method, so that a function of the tool's own input type fits. */
interface FakeTool {
  run(input: JsonObject, ctx: ToolContext): unknown;
}

export interface AgentTestOptions {
  /** The model's answers, in the order of its requests (`say`, `ask`). */
  script: readonly Answer[];
  /** What a tool does in this test, by the tool's name; the others run as they are. */
  tools?: Readonly<Record<string, FakeTool['run']>>;
  /** Who decides the calls of a tool that wait for approval, by the tool's name. The others wait for `turn.approve` and `turn.deny`. */
  decisions?: Readonly<Record<string, TestDecision>>;
  /** The file whose default export is the app: for tools with `isolate: true`. */
  appModule?: string;
  /** Where the worker's log goes. Default: nowhere. */
  log?: ToolLogger;
}

/** Everybody in `approve` approves the call, in this order; or one person denies it. */
export type TestDecision = { approve: string | readonly string[] } | { deny: string; note?: string };

/** A turn of a test. It ends with the test if it has not ended before. */
export interface TestTurn extends TurnHandle {
  /** Lets this time pass for Temporal and for this process: `'3 days'`, or ms. Timers fire on the way, in their order. */
  skip(time: Duration): Promise<void>;
}

/** One test: its worker, its store, its model. */
export class AgentTest {
  private readonly stop = new AbortController();
  /** Each rejects with the error of a decision that was not accepted. */
  private readonly deciding: Promise<void>[] = [];
  private skipping = false;

  private constructor(
    /** The same client that a service has. */
    readonly client: HoldfastClient,
    /** `model.requests`: what the model was asked. */
    readonly model: ScriptedModel,
    private readonly parts: {
      app: App;
      options: AgentTestOptions;
      server: TestServer;
      store: Store;
      worker: Worker;
      running: Promise<void>;
      date: DateAhead | null;
      close: () => Promise<void>;
    },
  ) {}

  static async open(subject: Agent | App, options: AgentTestOptions): Promise<AgentTest> {
    const app = withFakes('agents' in subject ? subject : defineApp({ agents: [subject] }), options);
    const server = await testServer();
    quietSdk();
    const model = new ScriptedModel(options.script);
    const folder = await mkdtemp(join(tmpdir(), 'holdfast-test-agent-'));
    const connection = await NativeConnection.connect({ address: server.address });
    await server.time?.listSearchAttributesTo(connection);
    const clientConnection = await connectTemporal({
      address: server.address,
      namespace: NAMESPACE,
      connectionOptions: { address: server.address },
    });
    const store = await FileStore.open(folder);
    const taskQueue = `test-${randomBytes(6).toString('hex')}`;
    const temporal = makeClient({ connection: clientConnection, namespace: NAMESPACE, codec: null });
    const client = new HoldfastClient(temporal, { taskQueue, uiUrl: null, store });
    const worker = await createWorker({
      app: withScript(app, model),
      connection,
      address: server.address,
      namespace: NAMESPACE,
      taskQueue,
      store,
      model,
      defaultModel: 'scripted',
      log: options.log ?? SILENT,
      ...optional({ appModule: options.appModule }),
      // In the test's own thread the workflows start at once.
      options: { shutdownGraceTime: '1 second', debugMode: true, buildId: 'test' },
    });
    const date = server.time === null ? null : new DateAhead();
    const close = async () => {
      await client.close();
      await connection.close();
      await rm(folder, { recursive: true, force: true });
    };
    const running = worker.run();
    const test = new AgentTest(client, model, { app, options, server, store, worker, running, date, close });
    test.keepTime();
    await test.followTime();
    return test;
  }

  /** Starts a turn of the agent: the one that is tested, or the first of the app, unless `agent` names another. */
  async start(message: StartTurn['message'], more: Partial<StartTurn> = {}): Promise<TestTurn> {
    const turn = await this.client.start({ agent: this.parts.app.agents[0]!.name, message, ...more });
    const skip = (time: Duration) => this.skip(time);
    const { decisions } = this.parts.options;
    if (decisions === undefined) return Object.assign(turn, { skip });
    const deciding = this.decide(turn, decisions);
    deciding.catch(() => undefined); // `result` and `close` throw it
    this.deciding.push(deciding);
    const end = turn.result.bind(turn);
    // Without an accepted decision the turn would not end.
    const result = () => Promise.race([end(), deciding.then(end)]);
    return Object.assign(turn, { skip, result });
  }

  /**
   * Completes a call that ends later (`ctx.later`), as who was given its address does.
   * @param token what the tool has passed on: the token, or the address
   * @throws DecisionNotAccepted with the reason
   */
  complete(token: string, outcome: CompletionOutcome): Promise<void> {
    const { store } = this.parts;
    return complete({ store, client: async () => this.client }, token.split('/').at(-1)!, outcome);
  }

  /** @see TestTurn.skip */
  async skip(time: Duration): Promise<void> {
    const { server } = this.parts;
    if (server.time === null)
      throw new Error(
        `Time can only be skipped on Temporal's time-skipping test server. Set ${TIME_SERVER} to its executable, or to a folder with its jars (docs/testing-agents.md).`,
      );
    this.skipping = true;
    try {
      await server.time.skip(msToNumber(time));
    } finally {
      this.skipping = false;
      await this.followTime();
    }
  }

  /**
   * Ends the worker and everything of this test but the server.
   * @throws the error of a decision of `decisions` that was not accepted, as `result` of its turn does
   */
  async close(): Promise<void> {
    const { server, worker, running, date, close } = this.parts;
    this.stop.abort();
    try {
      await Promise.all(this.deciding);
    } finally {
      await server.time?.terminateAll();
      worker.shutdown();
      await running;
      date?.restore();
      await close();
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Decides the calls of a turn as they come. */
  private async decide(turn: TurnHandle, decisions: NonNullable<AgentTestOptions['decisions']>): Promise<void> {
    const { signal } = this.stop;
    const decided = new Set<string>();
    try {
      for (;;) {
        const calls = await turn.waitForPending({ signal });
        for (const { tool, digest, state } of calls) {
          const decision = Object.hasOwn(decisions, tool) ? decisions[tool]! : null;
          if (decision === null || decided.has(digest) || state !== 'waiting') continue;
          decided.add(digest);
          if ('deny' in decision) await turn.deny(digest, { by: decision.deny, ...optional({ note: decision.note }) });
          else for (const by of [decision.approve].flat()) await turn.approve(digest, { by });
        }
        await sleep(DECIDES_EVERY_MS, undefined, { signal });
      }
    } catch (error) {
      if (!signal.aborted && !(error instanceof TurnEnded)) throw error;
    }
  }

  /** Activities begin at the server's time, also in the middle of a skip. */
  private keepTime(): void {
    if (this.parts.server.time === null) return;
    const { activities } = (this.parts.worker as unknown as WithActivities).options;
    for (const [name, activity] of activities)
      activities.set(name, async (input) => {
        if (this.skipping) await this.followTime();
        return activity(input);
      });
  }

  private async followTime(): Promise<void> {
    const { server, date } = this.parts;
    if (server.time !== null) date?.setTo(await server.time.now());
  }
}

/** The SDK logs each state of each worker. A test that has set its runtime up keeps it. */
function quietSdk(): void {
  if (Runtime.instantiator !== undefined) return;
  Runtime.install({ logger: new DefaultLogger('ERROR'), telemetryOptions: { logging: { forward: {}, filter: 'ERROR' } } });
}

interface WithActivities {
  options: { activities: Map<string, (input: unknown) => unknown> };
}

const SILENT: ToolLogger = { debug() {}, info() {}, warn() {}, error() {} };
const DECIDES_EVERY_MS = 50;

function withFakes(app: App, { tools: fakes = {} }: AgentTestOptions): App {
  const used = new Set<string>();
  const faked = (tool: Tool): Tool => {
    const run = Object.hasOwn(fakes, tool.name) ? fakes[tool.name]! : null;
    if (run === null) return tool;
    used.add(tool.name);
    return Object.freeze({ ...tool, run: run as Tool['run'], isolate: false });
  };
  const agents = app.agents.map((agent) => Object.freeze({ ...agent, tools: agent.tools.map(faked) }));
  const tools = app.tools.map(faked);
  const unknown = Object.keys(fakes).filter((name) => !used.has(name));
  if (unknown.length > 0) throw new Error(`testAgent: the app has no tool of these names: ${unknown.join(', ')}`);
  return Object.freeze({ ...app, agents, tools });
}

/** All models of the app answer by the script. Its schedules do not begin. */
function withScript(app: App, provider: ScriptedModel): App {
  const { schedules: _, models = {}, ...others } = app;
  const named = Object.entries(models).map(([name, { limits: __, ...settings }]) => [name, { ...settings, provider }]);
  return Object.freeze({ ...others, models: Object.fromEntries(named) as NonNullable<App['models']> });
}
