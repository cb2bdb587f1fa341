/** The input of a call as a condition sees it: amounts are compared exactly, and all other values stay as they are. */
import { celInput, MOST_VALUES } from '../../../src/rules/conditions/cel-values';
import type { Json, JsonObject } from '../../../src/shared/json/json';

const seen = (value: Json, schema: JsonObject = {}) => celInput({ value }, { properties: { value: schema } }).get('value');
const digits = (pattern: Json, value = '12') => seen(value, { type: 'string', pattern });

describe('a number', () => {
  it.each([
    ['a whole one', 7, {}, 7n],
    ['a whole one by its schema', 7, { type: 'integer' }, 7n],
    ['zero', 0, {}, 0n],
    ['the largest that is exact', 2 ** 53 - 1, {}, 9007199254740991n],
    ['one that is no longer exact', 2 ** 53, {}, 2 ** 53],
    ['a fraction', 1.5, {}, 1.5],
    ['a whole one where the schema takes fractions', 7, { type: 'number' }, 7],
  ])('%s', (_what, value, schema, expected) => expect(seen(value, schema)).toBe(expected));
});

describe('a text', () => {
  it.each(['^\\d+$', '^[0-9]{1,20}$', '^\\d{2}$', '^\\d{12}$', '^-?[1-9][0-9]*$', '^(?:0|[1-9]\\d*)$', '^(\\d+)$', '^\\d{2,}$', '^1+2?$'])(
    'whose schema takes %s is a whole number', (pattern) => expect(digits(pattern)).toBe(12n),
  ); // oxfmt-ignore

  it.each([
    ['no pattern', undefined],
    ['a pattern that is none', 7],
    ['a pattern that fits in the middle of a text', '\\d+'],
    ['a pattern without a beginning', '\\d+$'],
    ['a pattern without an end', '^\\d+'],
    ['letters too', '^[0-9a-f]+$'],
    ['letters before', 'x^\\d+$'],
    ['letters behind', '^\\d+$x'],
    ['a point', '^\\d+.\\d+$'],
    ['nothing at all', '^$'],
  ])('whose schema has %s stays text', (_what, pattern) => expect(digits(pattern as Json)).toBe('12'));

  it('that does not fit its own pattern stays text', () => {
    for (const text of ['12a', 'a12', '1.2', '', '-', '+1', ' 1']) expect([text, digits('^\\d+$', text)]).toEqual([text, text]);
    expect(digits('^-?\\d+$', '-12')).toBe(-12n);
  });

  it('is a number of at most 1,000 digits; a pattern has fewer than 200 characters', () => {
    expect(digits('^\\d+$', '9'.repeat(1000))).toBe(BigInt('9'.repeat(1000)));
    expect(() => digits('^\\d+$', '9'.repeat(1001))).toThrow('an amount has 1001 digits');
    expect([digits(`^${'1?'.repeat(98)}2$`), digits(`^1${'1?'.repeat(98)}2$`)]).toEqual([12n, '12']);
  });
});

it('an input is a map of its own fields, at every depth, by the schema of each', () => {
  const schema = {
    properties: {
      list: { items: { type: 'number' } },
      deep: { properties: { cents: { pattern: '^\\d+$' } } },
    },
  };
  const input = { list: [1, [2]], deep: { cents: '5', constructor: '6' }, toString: '7', nothing: null, yes: true };
  expect(celInput(input, schema)).toEqual(
    new Map<string, unknown>([
      ['list', [1, [2n]]],
      ['deep', new Map<string, unknown>([['cents', 5n], ['constructor', '6']])],
      ['toString', '7'],
      ['nothing', null],
      ['yes', true],
    ]),
  ); // oxfmt-ignore
  expect(celInput({ a: 1 }, { properties: 7, items: [] })).toEqual(new Map([['a', 1n]]));
});

it('an input with more values than a condition may look at is not converted', () => {
  const besides = 2; // the input itself, and the list
  expect(seen(Array(MOST_VALUES - besides).fill(1) as Json)).toHaveLength(MOST_VALUES - besides);
  expect(() => seen(Array(MOST_VALUES - besides + 1).fill(1) as Json)).toThrow('the input has more than 5000 values');
});
