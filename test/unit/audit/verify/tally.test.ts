/** What steps and sub-agents' turns have used, beside what a result says of it. */
import { add, copyOf, none, emptySums, wrongSum, type Sums } from '../../../../src/audit/verify/tally';

const used = (more: Partial<Sums> = {}): Sums => ({ ...emptySums(), ...more });
const tally = (sums: Partial<Sums>, ...below: { sums: Sums; isEnded: boolean }[]) => ({
  ...none(),
  sums: used(sums),
  below: new Map(below.map((turn, index) => [`turn/${index}`, turn])),
});

it('begins with nothing', () => {
  expect(none()).toEqual({ steps: 0, text: '', sums: emptySums(), below: new Map(), unknown: false });
  expect(Object.values(emptySums())).toEqual([0, 0, 0, 0, 0, 0]);
});

it('adds the numbers of each step; a value that is not a number counts as zero', () => {
  const sums = used({ input_tokens: 1 });
  add(sums, { input_tokens: 2, output_tokens: '3', cache_read_tokens: 4, cost_usd: 0.5, other: 6 });
  expect(sums).toEqual(used({ input_tokens: 3, cache_read_tokens: 4, cost_usd: 0.5 }));
});

it('of a run that continues is a copy', () => {
  const first = tally({ input_tokens: 1 });
  const next = copyOf(first);
  expect(next).toEqual(first);
  add(next.sums, { input_tokens: 2 });
  next.below.set('turn/9', { sums: used(), isEnded: true });
  expect(first).toEqual(tally({ input_tokens: 1 }));
});

it('is the sum of steps and of sub-agents’ turns', () => {
  const below = { sums: used({ input_tokens: 2 }), isEnded: true };
  expect(wrongSum(tally({ input_tokens: 1 }, below, below), { input_tokens: 5 })).toBeNull();
  expect(wrongSum(tally({ input_tokens: 1 }, below), { input_tokens: 4 })).toEqual({ field: 'input_tokens', value: 4, sum: 3 });
  expect(wrongSum(tally({ output_tokens: 1 }), { output_tokens: 0 })).toEqual({ field: 'output_tokens', value: 0, sum: 1 });
  expect(wrongSum(tally({ output_tokens: 1 }), { output_tokens: '1' })).toMatchObject({ value: '1' });
  expect(wrongSum(tally({ output_tokens: 1 }), {})).toBeNull();
});

it('is unknown while a sub-agent’s turn has not ended', () => {
  const [ended, open] = [true, false].map((is) => ({ sums: used(), isEnded: is })) as [never, never];
  expect(wrongSum(tally({}, ended, open), { input_tokens: 9 })).toBeNull();
  expect(wrongSum(tally({}, ended), { input_tokens: 9 })).not.toBeNull();
});

it('of dollars is exact to a billionth, because sums depend on their order', () => {
  const of = (sum: number, cost_usd: number) => wrongSum(tally({ cost_usd: sum }), { cost_usd });
  expect(of(0.1, 0.1 + 0.9e-9)).toBeNull();
  expect(of(0.1, 0.1 + 1.1e-9)).toEqual({ field: 'cost_usd', value: 0.1 + 1.1e-9, sum: 0.1 });
  expect(of(0, 1e-9)).toBeNull();
  expect(of(1000, 1000 + 0.9e-6)).toBeNull();
  expect(of(1000, 1000 + 1.1e-6)).not.toBeNull();
  expect(wrongSum(tally({ input_tokens: 1 }), { input_tokens: 1 + 1e-10 })).not.toBeNull();
});
