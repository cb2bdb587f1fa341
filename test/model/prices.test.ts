import { costUsd, PRICES, PRICES_AS_OF, PRICES_SOURCE, priceOf } from '../../src/model/prices';

const usage = { input_tokens: 1_000_000, output_tokens: 100_000, cache_read_tokens: 2_000_000, cache_creation_tokens: 200_000 };

test.each([
  ['claude-opus-4-5-20251101', 5 + 2.5 + 1 + 1.25],
  ['claude-opus-4-1-20250805', 15 + 7.5 + 3 + 3.75],
  ['claude-opus-4-20250514', 15 + 7.5 + 3 + 3.75],
  ['claude-opus-4-0', 15 + 7.5 + 3 + 3.75],
  ['claude-sonnet-4-5', 3 + 1.5 + 0.6 + 0.75],
  ['claude-sonnet-4@20250514', 3 + 1.5 + 0.6 + 0.75],
  ['us.anthropic.claude-haiku-4-5-20251001-v1:0', 1 + 0.5 + 0.2 + 0.25],
  ['claude-3-5-haiku-latest', 0.8 + 0.4 + 0.16 + 0.2],
  ['rehearsal-1', 0],
])('%s costs what the table says', (model, usd) => {
  const cost = costUsd(model, usage);
  expect(cost.priced).toBe(true);
  expect(cost.usd).toBeCloseTo(usd, 8);
});

test.each(['claude-opus-4-9', 'claude-sonnet-45', 'gpt-x', '', '__proto__'])('%j is not priced by a guess', (model) => {
  expect(costUsd(model, usage)).toEqual({ usd: 0, priced: false });
  expect(priceOf(model)).toBeUndefined();
});

test('the table has a date and a source, and a cache write costs a quarter more than input, a read a tenth', () => {
  expect(PRICES_AS_OF).toMatch(/^\d{4}-\d{2}-\d{2}$/);
  expect(PRICES_SOURCE).toContain('Anthropic');
  for (const [model, price] of Object.entries(PRICES).filter(([name]) => name !== 'claude-3-haiku')) {
    expect([model, price.cacheWrite, price.cacheRead]).toEqual([
      model,
      expect.closeTo(price.input * 1.25),
      expect.closeTo(price.input / 10),
    ]);
  }
});
