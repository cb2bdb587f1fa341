/** Runs an app beside a worker of its own, with a scripted model: what `testAgent` does. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Duration } from '@temporalio/common/lib/time';
import type { Agent } from '../../agents/agent';
import { type App, defineApp } from '../../agents/define';
import type { HoldfastClient } from '../../client/holdfast-client';
import { complete } from '../../completions/complete';
import type { CompletionOutcome } from '../../completions/token';
import type { StartTurn } from '../../client/turns/start-turn';
import type { TurnHandle } from '../../client/turns/turn-handle';
import { TurnEnded } from '../../client/errors';
import { optional } from '../../shared/json/optional';
import type { ToolLogger } from '../../tools/define/tool';
import { checkFakes, type Fake, withFakes } from './fakes';
import { type Answer, ScriptedModel } from './scripted-model';
import { TestClock } from './test-clock';
import { openTestEngine, type OpenTestEngine } from './test-engine';
import { TIME_SERVER } from './test-server';

export interface AgentTestOptions {
  /** The model's answers, in the order of its requests (`say`, `ask`). */
  script: readonly Answer[];
  /** What a tool does in this test, by the tool's name; the others run as they are. */
  tools?: Readonly<Record<string, Fake>>;
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

  private constructor(
    /** The same client that a service has. */
    readonly client: HoldfastClient,
    /** `model.requests`: what the model was asked. */
    readonly model: ScriptedModel,
    private readonly parts: { app: App; options: AgentTestOptions; engine: OpenTestEngine; clock: TestClock | null },
  ) {}

  static async open(subject: Agent | App, options: AgentTestOptions): Promise<AgentTest> {
    const { tools: fakes = {}, log, appModule } = options;
    const whole = 'agents' in subject ? subject : defineApp({ agents: [subject] });
    checkFakes(whole, Object.keys(fakes), 'testAgent');
    const app = withFakes(whole, ({ name }) => (Object.hasOwn(fakes, name) ? { run: fakes[name]! } : undefined));
    const model = new ScriptedModel(options.script);
    const engine = await openTestEngine({
      ...{ app: withScript(app, model), model, defaultModel: 'scripted' },
      ...optional({ log, appModule }),
    });
    const { time } = engine.server;
    const clock = time && (await TestClock.begin(time));
    clock?.keep(engine.worker);
    return new AgentTest(engine.client, model, { app, options, engine, clock });
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
    const { store } = this.parts.engine;
    return complete({ store, client: async () => this.client }, token.split('/').at(-1)!, outcome);
  }

  /** @see TestTurn.skip */
  async skip(time: Duration): Promise<void> {
    const { clock } = this.parts;
    if (clock === null)
      throw new Error(
        `Time can only be skipped on Temporal's time-skipping test server. Set ${TIME_SERVER} to its executable, or to a folder with its jars (docs/testing-agents.md).`,
      );
    await clock.skip(time);
  }

  /**
   * Ends the worker and everything of this test but the server.
   * @throws the error of a decision of `decisions` that was not accepted, as `result` of its turn does
   */
  async close(): Promise<void> {
    const { engine, clock } = this.parts;
    this.stop.abort();
    try {
      await Promise.all(this.deciding);
    } finally {
      try {
        await clock?.end();
      } finally {
        await engine.close();
      }
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
}

const DECIDES_EVERY_MS = 50;

/** All models of the app answer by the script. */
function withScript(app: App, provider: ScriptedModel): App {
  const { models = {}, ...others } = app;
  const named = Object.entries(models).map(([name, { limits: _, ...settings }]) => [name, { ...settings, provider }]);
  return Object.freeze({ ...others, models: Object.fromEntries(named) as NonNullable<App['models']> });
}
