/** Limits of models over all workers of a store: turns wait in a fair queue, say for what, and cost neither slots nor attempts. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NativeConnection } from '@temporalio/worker';
import { defineAgent, defineApp } from '../../../src/agents/define';
import type { ModelLimits } from '../../../src/model/settings';
import type { ModelProvider, ModelResponse } from '../../../src/model/provider';
import { FileStore } from '../../../src/store/files/file-store';
import { createWorker } from '../../../src/worker';
import { eventually, testAddress, withEngine, type Engine } from '../support/engine';
import { runs } from '../../support/runs';
import { silent } from '../../support/silent';

const USAGE = { input_tokens: 10, output_tokens: 1, cache_read_tokens: 0, cache_creation_tokens: 0 };

/** Answers each request with a word, when it is let go; records when each one came. */
class GatedModel implements ModelProvider {
  readonly name = 'gated';
  readonly model = 'gated-1';
  readonly came: number[] = [];
  running = 0;
  most = 0;
  private open = false;
  private readonly waiting: (() => void)[] = [];

  async request(...[, { signal }]: Parameters<ModelProvider['request']>): Promise<ModelResponse> {
    this.came.push(performance.now());
    this.running += 1;
    this.most = Math.max(this.most, this.running);
    try {
      await new Promise<void>((resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
        if (this.open) resolve();
        else this.waiting.push(resolve);
      });
    } finally {
      this.running -= 1;
    }
    const content = [{ type: 'text', text: 'Done.' }];
    return { id: 'msg', requestId: null, model: 'gated-1', stopReason: 'end_turn', content, rawToolInputs: [], usage: USAGE };
  }

  letGo(all = false): void {
    this.open ||= all;
    for (const go of all ? this.waiting.splice(0) : this.waiting.splice(0, 1)) go();
  }
}

function appOf(provider: ModelProvider, limits: ModelLimits) {
  return defineApp({
    agents: [defineAgent({ name: 'tester', prompt: 'Test.', tools: [], model: 'opus' })],
    models: { opus: { provider, limits } },
  });
}

const waitsFor = (turn: Awaited<ReturnType<Engine['start']>>) =>
  eventually('it waits', async () => (await turn.status()).waits_for);

it('a turn that waits says for what; it can be cancelled at once, and the next one moves up', async () => {
  const model = new GatedModel();
  await withEngine({ app: appOf(model, { concurrent: 1 }) }, async ({ start }) => {
    const first = await start();
    await eventually('the first is asked', async () => model.running === 1);
    const second = await start();
    expect((await waitsFor(second)).text).toBe('waits for a running request of model opus to end');
    const third = await start();
    expect(await waitsFor(third)).toEqual({
      model: 'opus',
      why: 'concurrent',
      before: 1,
      text: 'waits for a running request of model opus to end, 1 before it',
    });
    await second.cancel();
    await eventually('it is cancelled', async () => (await second.status()).state === 'cancelled');
    await eventually('the third is next', async () => (await third.status()).waits_for?.before === 0);
    expect(model.came).toHaveLength(1);
    model.letGo();
    expect((await first.result()).text).toBe('Done.');
    await eventually('the third is asked', async () => model.running === 1);
    model.letGo();
    const view = await third.result();
    expect(view.text).toBe('Done.');
    expect(view.waits_for).toBeUndefined();
    expect(model.most).toBe(1);
  });
});

it('a step that waits outside of its slot uses up no attempts, and a watcher is told what it waits for', async () => {
  const model = new GatedModel();
  const setup = { app: appOf(model, { concurrent: 1 }), settings: { modelGate: { patienceMs: 0 } } };
  await withEngine(setup, async ({ start, client }) => {
    await start();
    await eventually('the first is asked', async () => model.running === 1);
    const turn = await start();
    const told: string[] = [];
    const watching = (async () => {
      for await (const event of turn.watch()) if (event.type === 'model_waiting') told.push(event.text);
    })();
    const attempt = async () => {
      const { raw } = await client.temporal.workflow.getHandle(turn.workflowId).describe();
      return raw.pendingActivities?.[0]?.attempt ?? 0;
    };
    await eventually('it has come back more often than a step may fail', async () => (await attempt()) > 32);
    model.letGo(true);
    expect((await turn.result()).state).toBe('completed');
    await watching;
    expect(told).toEqual(['waits for a running request of model opus to end']);
    expect(model.came).toHaveLength(2);
  });
});

it('turns at once on three workers never exceed the limit of requests, and none waits much longer than its place says', async () => {
  const { turns, limit, windowMs } = runs({ turns: 30, limit: 10, windowMs: 2000 }, { turns: 100, limit: 30, windowMs: 15_000 });
  const LAG = 1000;
  const model = new GatedModel();
  model.letGo(true);
  const app = appOf(model, { requestsPerMinute: limit });
  const directory = await mkdtemp(join(tmpdir(), 'holdfast-limits-'));
  const settings = { modelGate: { windowMs } };
  try {
    await withEngine({ app, settings, store: await FileStore.open(directory) }, async ({ start, taskQueue }) => {
      const other = async () => {
        const store = await FileStore.open(directory);
        const connection = await NativeConnection.connect({ address: testAddress() }); // one process, one queue: one worker each
        const parts = {
          app,
          connection,
          address: testAddress(),
          namespace: 'default',
          taskQueue,
          store,
          log: silent,
          ...settings,
        };
        const options = { debugMode: true, buildId: 'test', shutdownGraceTime: '1 second' } as const;
        return { connection, worker: await createWorker({ ...parts, options }) };
      };
      const others = await Promise.all([other(), other()]);
      const serving = others.map(({ worker }) => worker.run());
      const began = performance.now();
      const started = await Promise.all(Array.from({ length: turns }, () => start()));
      await Promise.all(started.map((turn) => turn.result()));
      for (const { worker } of others) worker.shutdown();
      await Promise.all(serving);
      await Promise.all(others.map(({ connection }) => connection.close()));

      const came = [...model.came].sort((a, b) => a - b);
      expect(came).toHaveLength(turns);
      for (const [i, at] of came.entries()) {
        const next = came[i + limit];
        expect(next === undefined || next - at >= windowMs).toBe(true);
      }
      const waits = came.map((at) => at - began);
      const [median, longest] = [waits[Math.floor(turns / 2)]!, waits.at(-1)!];
      process.stderr.write(
        `${turns} turns, ${limit} requests in ${windowMs} ms: median wait ${Math.round(median)} ms, longest ${Math.round(longest)} ms, ratio ${(longest / median).toFixed(2)}\n`,
      );
      // As many windows as it takes, and one for what is late: nobody is left behind.
      expect(longest).toBeLessThan(Math.ceil(turns / limit + 1) * (windowMs + LAG) + 30_000);
    });
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}, 600_000);
