import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { costUsd, PRICES, PRICES_AS_OF, PRICES_SOURCE, priceOf, sumOf } from '../../../src/model/prices';

const usage = { input_tokens: 1_000_000, output_tokens: 100_000, cache_read_tokens: 2_000_000, cache_creation_tokens: 200_000 };

test.each([
  ['claude-opus-4-5-20251101', 5 + 2.5 + 1 + 1.25],
  ['claude-opus-4-1-20250805', 15 + 7.5 + 3 + 3.75],
  ['claude-opus-4-20250514', 15 + 7.5 + 3 + 3.75],
  ['claude-opus-4-0', 15 + 7.5 + 3 + 3.75],
  ['claude-sonnet-4-5', 3 + 1.5 + 0.6 + 0.75],
  ['claude-sonnet-4@20250514', 3 + 1.5 + 0.6 + 0.75],
  ['us.anthropic.claude-haiku-4-5-20251001-v1:0', 1 + 0.5 + 0.2 + 0.25],
  ['claude-opus-5-5', 4 + 2 + 0.4 + 1],
  ['claude-sonnet-5-5', 2 + 1 + 0.2 + 0.5],
  ['claude-fable-5-1', 10 + 5 + 0.5 + 2.5],
  ['claude-opus-4-8', 5 + 2.5 + 1 + 1.25],
  ['claude-haiku-5-5', 0.5 + 0.25 + 0.1 + 0.125], // a long prompt
  ['claude-3-5-haiku-latest', 0.8 + 0.4 + 0.16 + 0.2],
  ['rehearsal-1', 0],
])('%s costs what the table says', (model, usd) => {
  const cost = costUsd({ asked: model, answered: model }, usage);
  expect(cost.priced).toBe(true);
  expect(cost.usd).toBeCloseTo(usd, 8);
});

test.each(['claude-opus-4-9', 'claude-fable-5-2', 'claude-sonnet-45', 'gpt-x', '', '__proto__'])(
  '%j is not given a guessed price',
  (model) => {
    expect(costUsd({ asked: model, answered: model }, usage)).toEqual({ usd: 0, priced: false, unpricedTokens: sumOf(usage) });
    expect(priceOf(model)).toBeUndefined();
  },
);

test('a short prompt of a model that is cheaper for short prompts costs less', () => {
  const short = { input_tokens: 90_000, output_tokens: 100_000, cache_read_tokens: 10_000, cache_creation_tokens: 0 };
  expect(costUsd({ asked: 'claude-haiku-5-5', answered: 'claude-haiku-5-5' }, short).usd).toBeCloseTo(0.009 + 0.05 + 0.0001, 8);
});

const PRICED = { priced: true, unpricedTokens: 0 };
const own = { local: { prices: { input: 1, output: 2, cacheRead: 0, cacheWrite: 0 } } };
const plain = { input_tokens: 1_000_000, output_tokens: 1_000_000, cache_read_tokens: 0, cache_creation_tokens: 0 };

test('prices that the app sets win, under any name that the server gives its model', () => {
  expect(costUsd({ asked: 'local', answered: 'llama-4:70b' }, plain, own)).toEqual({ usd: 3, ...PRICED });
  expect(costUsd({ asked: 'local', answered: 'claude-opus-5' }, plain, own)).toEqual({ usd: 3, ...PRICED });
  expect(costUsd({ asked: 'claude-opus-5', answered: 'x' }, plain, own)).toEqual({ usd: 30, ...PRICED });
});

test('a search of the vendor’s costs a cent', () => {
  expect(costUsd({ asked: 'local', answered: 'local' }, { ...plain, web_searches: 3 }, own).usd).toBe(3.03);
});

test('each model that took part in an answer has its own price', () => {
  const billed = [
    { model: 'claude-haiku-4-5', ...plain },
    { model: 'claude-opus-5', ...plain },
  ];
  const model = { asked: 'claude-haiku-4-5', answered: 'claude-haiku-4-5' };
  expect(costUsd(model, { ...plain, billed })).toEqual({ usd: 36, ...PRICED });
  expect(costUsd(model, { ...plain, billed: [...billed, { model: 'unheard-of', ...plain }] })).toEqual({
    usd: 36,
    priced: false,
    unpricedTokens: 2_000_000,
  });
});

test('the table has a date and a source, and a cache write costs a quarter more than input', () => {
  expect(PRICES_AS_OF).toMatch(/^\d{4}-\d{2}-\d{2}$/);
  expect(PRICES_SOURCE).toContain('Anthropic');
  for (const [model, price] of Object.entries(PRICES).filter(([name]) => name !== 'claude-3-haiku')) {
    expect([model, price.cacheWrite]).toEqual([model, expect.closeTo(price.input * 1.25)]);
    expect(price.cacheRead).toBeLessThanOrEqual(price.input / 10 + 1e-9);
  }
});

test("each model that the vendor's SDK names has a price, or docs/models.md says that it has none", () => {
  const sdk = dirname(require.resolve('@anthropic-ai/sdk'));
  const types = readFileSync(join(sdk, 'resources/messages/messages.d.ts'), 'utf8');
  const [, union] = /^export type Model = (.*);$/m.exec(types)!;
  const models = [...union!.matchAll(/'([^']+)'/g)].map(([, name]) => name!);
  expect(models.length).toBeGreaterThan(10);
  const page = readFileSync(join(__dirname, '../../../docs/models.md'), 'utf8');
  const [, unpriced] = /never priced by a guess\. (.*) are not: no price/.exec(page)!;
  const said = [...unpriced!.matchAll(/`([^`]+)`/g)].map(([, name]) => name!);
  expect(models.filter((name) => priceOf(name) === undefined).sort()).toEqual(said.sort());
});
