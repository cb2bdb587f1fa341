/** What turns have used, added up. What a model costs whose price is not known is unknown, and not 0. */
import fc from 'fast-check';
import { sumUsage } from '../../../src/shared/turn/sub-turn';
import { addUsage, costText, NO_USAGE, type TurnUsage } from '../../../src/shared/turn/turn-view';

const count = fc.integer({ min: 0, max: 1_000_000 });
const unpriced = fc.option(count, { nil: undefined });
const usages = fc
  .record({ input_tokens: count, output_tokens: count, cache_read_tokens: count, cost_usd: count, unpriced_tokens: unpriced })
  .map(({ unpriced_tokens, ...usage }): TurnUsage => (unpriced_tokens === undefined ? usage : { ...usage, unpriced_tokens }));

it('tokens without a price are added up, by a turn and over its sub-agents', () =>
  fc.assert(
    fc.property(fc.array(usages, { maxLength: 8 }), (all) => {
      const sum = { ...NO_USAGE };
      for (const usage of all) addUsage(sum, usage);
      const below = all.reduce(sumUsage, NO_USAGE);
      const unpriced = all.reduce((total, { unpriced_tokens = 0 }) => total + unpriced_tokens, 0);
      expect([sum.unpriced_tokens ?? 0, below.unpriced_tokens ?? 0]).toEqual([unpriced, unpriced]);
      expect(below.cost_usd).toBe(sum.cost_usd);
    }),
  ));

it('a turn whose models all have prices has no such field: histories and views of before stay as they are', () => {
  const sum = { ...NO_USAGE };
  addUsage(sum, { ...NO_USAGE, cost_usd: 1 });
  expect(sum).toEqual({ ...NO_USAGE, cost_usd: 1 });
  expect(sumUsage(sum, sum)).not.toHaveProperty('unpriced_tokens');
});

it('is said in words', () => {
  const texts = [{ cost_usd: 0.5 }, { cost_usd: 0 }, { cost_usd: 0, unpriced_tokens: 7 }, { cost_usd: 0.5, unpriced_tokens: 7 }];
  expect(texts.map(costText)).toEqual(['$0.5000', '$0.0000', 'cost unknown', '$0.5000 and an unknown cost']);
});
