/**
 * A chain of two vendors: turns go on by the second while the first is down, everybody can see it, and what only one vendor
 * understands goes back to that vendor alone.
 */
import { defineAgent, defineApp } from '../../../src/agents/define';
import { anthropic, openai } from '../../../src/model/factories';
import type { WireAnswer, WireServer } from '../../../src/testing/model-conformance';
import { walk } from '../../../src/store/core/transcript';
import { readBlock } from '../../../src/record/read-block';
import { MESSAGES } from '../../support/model/wires/messages';
import { RESPONSES } from '../../support/model/wires/responses';
import { startWireServer } from '../../support/model/wires/server';
import { ModelFailure, type ModelProvider } from '../../../src/model/provider';
import { say, ScriptedModel } from '../../support/scripted-model';
import { reads } from '../../support/tools';
import { eventually, withEngine, type Engine, type Setup } from '../support/engine';
import { TestTime } from '../support/time-server';

const OVERLOADED: WireAnswer = { fault: { kind: 'status', status: 529, message: 'Overloaded' } };
/** Where time cannot be skipped: without the header, a step waits up to a minute before each request. */
const OVERLOADED_BRIEFLY: WireAnswer = {
  fault: { kind: 'status', status: 529, message: 'Overloaded', headers: { 'retry-after-ms': '5' } },
};
const REFUSED: WireAnswer = { fault: { kind: 'status', status: 401, message: 'no such key' } };
const time = new TestTime();
const PRICES = { input: 1, output: 10, cacheRead: 0, cacheWrite: 0 };

test('while the first vendor is overloaded, turns go on by the second: seen in view, events, transcript and cost', () =>
  withVendors(async ({ start, store, client }, { opus, gpt }) => {
    opus.answer(...Array.from({ length: 50 }, () => OVERLOADED));
    gpt.answer(look('call_1'), { text: 'Done.' }, { text: 'Done again.' });
    const turn = await start();
    const view = await turn.result();
    expect(view).toMatchObject({ state: 'completed', text: 'Done.', step: 2 });
    expect(view.fallbacks).toEqual([
      { step: 1, model: 'gpt', passed: [{ model: 'opus', reason: 'model.overloaded', attempts: 3 }] },
      { step: 2, model: 'gpt', passed: [{ model: 'opus', reason: 'down', attempts: 0 }] },
    ]);
    expect(opus.requests).toHaveLength(3);
    // Two answers of 10 and 5 tokens.
    expect(view.usage.cost_usd).toBeCloseTo((2 * (10 * PRICES.input + 5 * PRICES.output)) / 1e6, 9);
    expect(view.usage).not.toHaveProperty('unpriced_tokens');

    const steps = [];
    for await (const event of client.turn(turn.id).watch()) if (event.type === 'step_completed') steps.push(event);
    expect(steps).toMatchObject([
      { step: 1, model: 'gpt', passed: [{ model: 'opus', reason: 'model.overloaded' }] },
      { step: 2, model: 'gpt', passed: [{ model: 'opus', reason: 'down' }] },
    ]);
    expect((await answersIn(store, view.head)).map(({ origin }) => origin)).toEqual([
      { provider: 'openai', model: 'gpt' },
      { provider: 'openai', model: 'gpt' },
    ]);

    expect(await (await start('Again.')).result()).toMatchObject({
      text: 'Done again.',
      fallbacks: [{ step: 1, passed: [{ reason: 'down' }] }],
    });
    expect(opus.requests).toHaveLength(3); // A dead vendor costs no wait at each step.
  }));

test('thoughts go back only to the vendor that had them, whoever answered in between', () =>
  withVendors(async ({ start, store }, { opus, gpt }) => {
    opus.answer({ ...look('toolu_1'), thinking: 'Look at a.' }, REFUSED, { text: 'Done.' });
    gpt.answer({ ...look('call_2'), thinking: 'Look again.' });
    const view = await (await start()).result();
    expect(view).toMatchObject({ state: 'completed', text: 'Done.', step: 3 });
    expect(view.fallbacks).toMatchObject([{ step: 2, model: 'gpt', passed: [{ model: 'opus', reason: 'model.auth' }] }]);

    const [toGpt, lastToOpus] = [JSON.stringify(gpt.requests.at(-1)), JSON.stringify(opus.requests.at(-1))];
    expect([toGpt.includes('signed-thought'), toGpt.includes('toolu_1')]).toEqual([false, true]);
    expect([lastToOpus.includes('signed-thought'), lastToOpus.includes('encrypted-thought')]).toEqual([true, false]);
    expect(lastToOpus).toContain('call_2');

    const answers = await answersIn(store, view.head);
    expect(answers.map(({ origin }) => origin?.provider)).toEqual(['anthropic', 'openai', 'anthropic']);
    // The neutral form for everybody, and the vendor's own beside it.
    expect(answers[1]!.content.map(({ type }) => type)).toContain('tool_use');
    expect(JSON.stringify(answers[1]!.content)).not.toContain('encrypted-thought');
    expect(JSON.stringify(answers[1]!.raw)).toContain('encrypted-thought');
  }));

test('if nobody in the chain answers, the turn fails and names all of them', () =>
  withVendors(async ({ start }, { opus, gpt }) => {
    opus.answer(REFUSED);
    gpt.answer(REFUSED);
    expect(await (await start()).result()).toMatchObject({
      state: 'failed',
      reason: expect.stringMatching(
        /\(401, model gpt-5\.2\).* no such key\. Before it, these models did not take the step: opus \(model\.auth\)\.$/,
      ),
    });
  }));

test('while no model answers, the turn says that it waits for the next try, and no more once one has', () => {
  const model = new ScriptedModel([say('Done.')]);
  const down = new ModelFailure('Nobody is there.', { type: 'model.network', retryable: true, status: null, retryAfterMs: 3000 });
  let tries = 0;
  const request: ModelProvider['request'] = (...asked) => ((tries += 1) === 1 ? Promise.reject(down) : model.request(...asked));
  return withEngine({ model: { name: 'flaky', request } }, async ({ start }) => {
    const turn = await start();
    const waits = await eventually('it waits', async () => (await turn.status()).waits_for);
    expect(waits).toMatchObject({
      why: 'failure',
      before: 0,
      text: expect.stringMatching(/^waits for the next try of model \S+, which did not answer$/),
    });
    const { text, waits_for } = await turn.result();
    expect([text, waits_for, tries]).toEqual(['Done.', undefined, 2]);
  });
});

test('the cost of a model without a known price is unknown, and not 0', () =>
  withEngine({ script: [say('Done.')] }, async ({ start, client }) => {
    const turn = await start();
    const { usage } = await turn.result();
    expect(usage).toMatchObject({ input_tokens: 100, output_tokens: 10, cost_usd: 0, unpriced_tokens: 110 });
    const steps = [];
    for await (const event of client.turn(turn.id).watch()) if (event.type === 'step_completed') steps.push(event.usage);
    expect(steps).toMatchObject([{ unpriced_tokens: 110 }]);
  }));

test('an overloaded model without another behind it is asked 30 times in 25 minutes; then the turn fails with what it said', () =>
  withVendors(
    async ({ start }, { opus }) => {
      opus.answer(...Array.from({ length: 100 }, () => (time.skips ? OVERLOADED : OVERLOADED_BRIEFLY)));
      const turn = await start('Wait.', { agent: 'alone' });
      await eventually('it is asked', async () => opus.requests.length > 0);
      await time.skip(time.either('24 minutes', 0));
      expect((await turn.status()).state).toBe('running');
      await time.skip(time.either('1 minute', 0));
      expect(await turn.result()).toMatchObject({
        state: 'failed',
        reason: 'The model API is overloaded (529, model claude-opus-5). It said: Overloaded',
      });
      expect(opus.requests).toHaveLength(30);
    },
    { time },
  ));

function look(id: string): WireAnswer {
  return { calls: [{ id, name: 'look', json: '{"key":"a"}' }] };
}

interface Vendors {
  opus: WireServer;
  gpt: WireServer;
}

async function withVendors(body: (engine: Engine, vendors: Vendors) => Promise<void>, setup: Setup = {}): Promise<void> {
  const [opus, gpt] = await Promise.all([startWireServer(MESSAGES), startWireServer(RESPONSES)]);
  const tester = defineAgent({ name: 'tester', prompt: 'Test.', model: ['opus', 'gpt'], tools: [reads('look', () => 'seen')] });
  const app = defineApp({
    agents: [tester, defineAgent({ name: 'alone', prompt: 'Test.', model: 'opus', tools: [] })],
    models: {
      opus: anthropic({ model: 'claude-opus-5', apiKey: 'key', baseUrl: opus.baseUrl }),
      gpt: { provider: openai({ model: 'gpt-5.2', apiKey: 'key', baseUrl: gpt.baseUrl }), prices: PRICES },
    },
  });
  try {
    await withEngine({ ...setup, app }, (engine) => body(engine, { opus, gpt }));
  } finally {
    await Promise.all([opus.close(), gpt.close()]);
  }
}

async function answersIn(store: Engine['store'], head: string | null) {
  const blocks = (await walk(store, head)).map(readBlock);
  return blocks.flatMap((block) => (block?.kind === 'message' && block.role === 'assistant' ? [block] : []));
}
