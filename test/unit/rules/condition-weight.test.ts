/** The weight of an expression, and the bound that follows from it. That the bound holds is measured in condition-cost.test.ts. */
import { parse } from '@bufbuild/cel';
import { MOST_VALUES } from '../../../src/rules/conditions/cel-values';
import { type ConditionFacts } from '../../../src/rules/conditions/condition';
import { type Expr, type ExpressionWeight, stepsOver, weigh } from '../../../src/rules/conditions/condition-cost';
import type { JsonObject } from '../../../src/shared/json/json';

const weightOf = (text: string) => weigh(parse(text).expr as Expr, text.length);
const PLAIN = { looks: 0, joins: 1, loops: 0, makesLists: false, squares: false, patterns: { length: 0, size: 0 } };

it.each<[string, Partial<ExpressionWeight>]>([
  ['true', { fields: [] }],
  ['turn.untrusted', { fields: [], looks: 1 }],
  ['input.a', { fields: ['a'], looks: 1 }],
  ['input.a.b', { fields: ['a'], looks: 2 }],
  ['input.a == input.b', { fields: ['a', 'b'], looks: 3 }],
  ['input.a == input.a', { fields: ['a'], looks: 3 }],
  ['input["a"] == 1', { fields: null, looks: 2 }],
  ['input', { fields: null }],
  ['has(input.a)', { fields: ['a'], looks: 1 }],
  ['size(input.a) > 1', { fields: ['a'], looks: 3 }],
  ['!input.a || -input.b < 2 && input.c', { fields: ['a', 'b', 'c'], looks: 8 }],
  ['input.a ? 1 : 2', { fields: ['a'], looks: 2 }],
  ['input.a in [1, 2]', { fields: ['a'], looks: 3, joins: 3 }],
  ['{"x": input.a}', { fields: ['a'], looks: 2, joins: 3 }],
  ['input.a + input.b', { fields: ['a', 'b'], looks: 3, joins: 2 }],
  ['input.a.contains("x")', { fields: ['a'], looks: 2, squares: true }],
  ['input.a * input.b', { fields: ['a', 'b'], looks: 3, squares: true }],
  ['input.a.startsWith("x") && input.a.endsWith("y")', { fields: ['a'], looks: 5 }],
  ['input.a.matches("ab")', { fields: ['a'], looks: 2, patterns: { length: 2, size: expect.any(Number) } }],
  ['input.a.matches("(")', { fields: ['a'], looks: 2, patterns: { length: 1, size: 0 } }],
])('%s', (text, weight) => expect(weightOf(text)).toEqual({ ...PLAIN, length: text.length, ...weight }));

it.each(['_/_ 1 / input.a', '_%_ 1 % input.a', 'int("1")', 'double("1")', 'string(1)', 'big("1")'])(
  '%s may compare each character with each', (text) => expect(weightOf(text.replace(/^_\S+ /, ''))).toMatchObject({ squares: true }),
); // oxfmt-ignore

it.each(['1 - 2', '1 != 2', '1 <= 2', '1 >= 2', 'bool("true")', 'type(1)', 'dyn(1)'])('%s looks at each character once', (text) =>
  expect(weightOf(text)).toMatchObject({ squares: false }),
);

it('a pattern costs its instructions, each pattern its own', () => {
  const size = (text: string) => weightOf(text)!.patterns.size;
  expect(size('input.a.matches("a")')).toBeGreaterThan(0);
  expect(size('input.a.matches("a{50}")')).toBeGreaterThan(40);
  expect(weightOf('input.a.matches("a") || matches(input.b, "bc")')!.patterns).toEqual({
    length: 3,
    size: size('input.a.matches("a")') + size('input.a.matches("bc")'),
  });
});

it.each([
  ['a function that is not known', 'input.a.reverse()'],
  ['a function that is not known, beside known ones', 'f(input.a) == 1 && size(input.b) == 2'],
  ['a pattern that is not known before', 'input.a.matches(input.b)'],
  ['a pattern that is a number', 'input.a.matches(7)'],
  ['a loop over what a loop makes', 'input.a.map(x, x).exists(y, y == 1)'],
  ['a loop over a part of what a loop makes', '(input.a.filter(x, x > 1) + [1]).exists(y, y == 1)'],
])('%s has no bound', (_what, text) => expect(weightOf(text)).toBeNull());

describe('a loop', () => {
  it('is counted, together with its body', () => {
    expect(weightOf('input.a.exists(x, x == 1)')).toMatchObject({ fields: ['a'], loops: 1, makesLists: false, joins: 1 });
    expect(weightOf('input.a.all(x, x == 1) && input.b.exists(x, x == 2)')).toMatchObject({ fields: ['a', 'b'], loops: 2 });
  });

  it('that makes a list is marked; its list does not count as joined', () => {
    for (const text of ['input.a.map(x, x)', 'input.a.filter(x, x > 1)'])
      expect(weightOf(text)).toMatchObject({ loops: 1, makesLists: true, joins: 1 });
  });
});

it('a missing expression has no weight', () => {
  expect(weigh(undefined, 5)).toEqual({ ...PLAIN, fields: [], length: 5 });
});

describe('the bound over a call', () => {
  const tool = { name: 'pay', version: '1.0', class: 'write', target: null, schema: {} };
  const turn = { untrusted: false, requester: 'rita', agent: 'clerk', step: 1 };
  const call = (input: JsonObject, more: object = {}) =>
    ({ tool: { ...tool, ...more }, input, turn }) as unknown as ConditionFacts;
  const weight: ExpressionWeight = { ...PLAIN, fields: ['a'], looks: 3, length: 10 };
  /** The lengths of name, version, requester, agent and expression. */
  const AROUND = 3 + 3 + 4 + 5 + 10;
  /** Of `{a: 'xyz', b: [1, 'q']}`: names, texts, 25 of the number; itself and four values. */
  const input = { a: 'xyz', b: [1, 'q'] };
  const MADE = 5 * 1000 + (1 + 3 + 1 + 25 + 1);
  /** For `{a: 'xyz'}`. */
  const [CHARACTERS, ITEMS] = [4 + AROUND, 2];

  it('covers the fields that the expression names: each look at each character and item', () => {
    expect(stepsOver(weight, call(input))).toBe(MADE + 3 * (2000 + CHARACTERS * 10 + ITEMS * 20));
  });

  it('covers the whole input if the expression names it, and only fields that exist', () => {
    expect(stepsOver({ ...weight, fields: null }, call(input))).toBe(MADE + 3 * (2000 + (31 + AROUND) * 10 + 5 * 20));
    const none = MADE + 3 * (2000 + AROUND * 10 + 20);
    expect(stepsOver({ ...weight, fields: [] }, call(input))).toBe(none);
    expect(stepsOver({ ...weight, fields: ['c', 'toString'] }, call(input))).toBe(none);
  });

  it('grows with the group, with joined values, in a loop, and in a loop that makes lists', () => {
    const grouped = MADE + 3 * (2000 + (CHARACTERS + 4) * 10 + ITEMS * 20);
    expect(stepsOver(weight, call(input, { group: 'bank' }))).toBe(grouped);
    const [characters, items] = [2 * CHARACTERS, 2 * ITEMS];
    const joined = 3 * (2000 + characters * 10 + items * 20);
    expect(stepsOver({ ...weight, joins: 2 }, call(input))).toBe(MADE + joined);
    expect(stepsOver({ ...weight, joins: 2, loops: 1 }, call(input))).toBe(MADE + joined * items);
    const lists = 3 * (2000 + (characters * 10 + items * 20) * items) * items;
    expect(stepsOver({ ...weight, joins: 2, loops: 1, makesLists: true }, call(input))).toBe(MADE + lists);
  });

  it('grows with squares and with patterns', () => {
    const squares = MADE + 3 * (2000 + CHARACTERS * 10 + ITEMS * 20 + CHARACTERS ** 2 / 10);
    expect(stepsOver({ ...weight, squares: true }, call(input))).toBeCloseTo(squares, 6);
    const patterns = { length: 2, size: 7 };
    const matching = 2 * 15_000 + 7 * (1500 + 10 * CHARACTERS);
    expect(stepsOver({ ...weight, patterns }, call(input))).toBe(MADE + 3 * (2000 + CHARACTERS * 10 + ITEMS * 20) + matching);
  });

  it('is unknown without a weight, and for more values than a condition looks at', () => {
    expect(stepsOver(null, call({}))).toBe(Infinity);
    const list = (length: number) => call({ a: Array<number>(length).fill(1) });
    expect(stepsOver(weight, list(MOST_VALUES - 2))).toBeLessThan(Infinity);
    expect(stepsOver(weight, list(MOST_VALUES - 1))).toBe(Infinity);
  });

  it('counts true, false and null as values without characters', () => {
    const values = { a: true, b: false, c: null };
    expect(stepsOver({ ...weight, fields: null, looks: 1 }, call(values))).toBe(4 * 1000 + 3 + 2000 + (3 + AROUND) * 10 + 4 * 20);
  });
});
