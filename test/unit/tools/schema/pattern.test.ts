import fc from 'fast-check';
import { isJsonObject, type Json } from '../../../../src/shared/json/json';
import { defineTool } from '../../../../src/tools/define/define';
import { isLinear, linearMatcher, matcherOf } from '../../../../src/tools/schema/pattern';
import { compile, compiledInput, compileOutput, inputSchema } from '../../../../src/tools/schema/schema';
import { shippedTools } from '../../../support/shipped-tools';
import { runs } from '../../../support/runs';
import { cases, DIALECTS, type SuiteDialect } from './support/schema-suite';

const LONG = `${'a'.repeat(50_000)}!`;
/** Each makes a backtracking matcher hang on the text above, or on a similar one. */
const EVIL = ['^(a+)+$', '^(a|a)*$', '^(a|aa)+$', '^(?:a*)*b$', '(a*a*a*a*a*)*b', '^(?:[a-z]+\\s?)*$', '^(a{1,30}){1,30}$'];

const linear = (pattern: string) => linearMatcher(new RegExp(pattern, 'u'));

describe('a property of characters', () => {
  it.each([
    ['^\\p{Letter}+$', 'école', '1'],
    ['^\\p{digit}+$', '৪২', 'x'],
    ['^[\\p{General_Category=Lu}_]$', 'É', 'é'],
    ['^\\P{punct}$', 'a', '!'],
    ['^\\p{Script=Greek}$', 'λ', 'l'],
  ])('by any of its names is matched in linear time: %s', (pattern, fits, misfit) => {
    expect(isLinear(pattern)).toBe(true);
    expect([matcherOf(pattern).test(fits), matcherOf(pattern).test(misfit)]).toEqual([true, false]);
  });
});

describe('a pattern that hangs a backtracking matcher', () => {
  it.each(EVIL)('%s answers on 50,000 characters, as pattern, as name of properties, in an output', async (pattern) => {
    const input = { type: 'object', properties: { text: { type: 'string', pattern } } };
    const tool = defineTool({ name: 'find', version: '1.0.0', class: 'read', description: 'Finds.', input, run: () => null });
    const { validate } = compiledInput(tool.input as never);
    await validate.ahead({ text: LONG }, 'test'); // in a thread, where it is much
    const checked = validate({ text: LONG });
    expect(checked.valid ? 'valid' : checked.violations).toEqual([{ path: '/text', message: `must match pattern "${pattern}"` }]);
    const named = compile(inputSchema({ type: 'object', patternProperties: { [pattern]: false } }));
    await named.ahead({ [LONG]: 1 }, 'test');
    expect(named({ [LONG]: 1 }).valid).toBe(true);
    expect(compileOutput({ type: 'string', pattern })(LONG).valid).toBe(false);
  });

  it('is kept apart from others in one schema', () => {
    const [first, second] = ['^(a+)+$', '^(b+)+$'];
    const check = compile({ type: 'object', properties: { a: { pattern: first! }, b: { pattern: second! } } });
    expect(check({ a: 'aa', b: 'bb' }).valid).toBe(true);
    expect(check({ a: 'bb', b: 'bb' }).valid).toBe(false);
    expect(check({ a: 'aa', b: 'aa' }).valid).toBe(false);
  });
});

describe('a pattern', () => {
  it('that is malformed is found when its schema is compiled, not when it is used', () => {
    expect(() => matcherOf('(')).toThrow(SyntaxError);
    expect(() => compile({ type: 'string', pattern: '(' })).toThrow(/Invalid regular expression/);
  });

  it('with look-around or back-references still works where the author of a tool wrote it', () => {
    const strong = matcherOf('^(?=.*\\d)[a-z\\d]+$');
    expect([strong.test('abc1'), strong.test('abc')]).toEqual([true, false]);
    const twice = matcherOf('^(.*)-\\1$');
    expect([twice.test('ab-ab'), twice.test('ab-ac')]).toEqual([true, false]);
  });

  it.each<[string, boolean]>([
    ['^[A-Z]{1,5}$', true],
    ['^(a+)+$', true],
    ['^(?=.*\\d)[a-z\\d]+$', false],
    ['(?<!a)b', false],
    ['^(.*)-\\1$', false],
    ['^(?<n>a)\\k<n>$', false],
    ['^a{1001}$', false],
    ['^(a{1,50}){1,50}$', false],
    ['[a-z]{1000}'.repeat(11), false],
    ['(', false],
  ])('%s is linear: %s', (source, expected) => expect(isLinear(source)).toBe(expected));
});

/** Patterns with everything that JavaScript has syntax for, and that RE2 may read in another way. */
const atom = fc.constantFrom(
  ...[
    'a',
    'b',
    '\\s',
    '\\S',
    '.',
    '\\d',
    '\\w',
    '\\D',
    '\\W',
    '[^a]',
    '[a-c\\s]',
    '[^\\s]',
    '[\\S\\n]',
    '[^\\S]',
    '[[a]',
    '[[:a]',
  ],
  ...['[]', '[^]', '\\u0061', '\\x62', '\\u{1f600}', '\\ud83d\\ude00', '[\\ud83d\\ude00-\\ude4f]', '\\cJ', '\\0', '[\\b]', '\\v'],
  ...[
    '[\\cJ-\\cM]',
    '[\\0]',
    '[\\x41-\\u{1f600}]',
    '[^\\d\\s]',
    '[\\p{L}\\d]',
    '[\\w-]',
    '\\ud83d',
    '\\f',
    '\\^',
    '\\p{L}',
    '\\P{L}',
    '\\p{Lu}',
    '^',
    '$',
    '\\b',
    '\\B',
    '\\/',
    '\\.',
    '[\\]\\-]',
    '\u00e9',
    '😀',
  ],
);
const quantified = fc.tuple(
  atom.filter((one) => !['^', '$', '\\b', '\\B'].includes(one)),
  fc.constantFrom('', '*', '+', '?', '{2}', '{0,2}', '{1,}', '+?', '*?'),
);
const piece = fc.oneof(
  atom,
  quantified.map((two) => two.join('')),
);
const pattern = fc.letrec((tie) => ({
  any: fc.oneof(
    { depthSize: 'small' },
    piece,
    fc.array(tie('any'), { minLength: 1, maxLength: 3 }).map((parts) => parts.join('')),
    fc
      .tuple(tie('any'), tie('any'), fc.constantFrom('', '*', '?', '{1,2}'))
      .map(([left, right, times]) => `(?:${left as string}|${right as string})${times}`),
    fc.tuple(tie('any'), fc.constantFrom('', '+')).map(([inner, times]) => `(?<n>${inner as string})${times}`),
  ),
})).any as fc.Arbitrary<string>;
const LETTERS = ['a', 'b', 'C', '1', '_', ' ', '\n', '\r', '\t', '\v', '\b', '\0', '\u00a0', '\u2028', '\ufeff', '\u180e', '😀', '\u00e9', '[', ':', ']', '/', '-', '.']; // oxfmt-ignore

/**
 * ECMA-262 (RegExpBuiltinExec) begins a match under the u flag at each character and at the end. V8 begins one between
 * the two surrogates of a character as well: it finds `\\B` in `a😀a` at index 2.
 */
function matchesByStandard(expression: RegExp, text: string): boolean {
  const sticky = new RegExp(expression.source, 'uy');
  let start = 0;
  for (const character of [...text, '']) {
    sticky.lastIndex = start;
    if (sticky.test(text)) return true;
    start += character.length;
  }
  return false;
}

describe('RE2 in the place of RegExp', () => {
  it('finds no place between the two surrogates of a character', () => {
    expect([linear('\\B')!.test('a😀a'), matchesByStandard(/\B/u, 'a😀a')]).toEqual([false, false]);
    expect([linear('\\B')!.test('a😀😀'), matchesByStandard(/\B/u, 'a😀😀')]).toEqual([true, true]);
  });

  it('means the same under the u flag, for all syntax that both know', () => {
    let compared = 0;
    fc.assert(
      fc.property(
        pattern,
        fc.array(fc.array(fc.constantFrom(...LETTERS), { maxLength: 6 }), { minLength: 1, maxLength: 8 }),
        (source, texts) => {
          const expression = expressionOf(source);
          const matcher = expression && linearMatcher(expression);
          if (!matcher) return;
          for (const text of texts.map((letters) => letters.join(''))) {
            compared += 1;
            expect([source, text, matcher.test(text)]).toEqual([source, text, matchesByStandard(expression, text)]);
          }
        },
      ),
      { numRuns: runs(300, 1500) },
    );
    expect(compared).toBeGreaterThan(runs(300, 1500)); // one of each pattern, on average
  });

  it('gives the same verdict on the patterns of all shipped tools', () => {
    const patterns = new Set(shippedTools().flatMap(({ input }) => patternsOf(inputSchema(input as never))));
    expect(patterns.size).toBeGreaterThan(3);
    const texts = ['', 'A', 'AAPL', '2024-02-29', '2023-02-29', '0x' + 'ab'.repeat(20), '12', '007', 'München, a-b', 'a\nb', '\u00a0', 'f'.repeat(64)]; // oxfmt-ignore
    for (const each of patterns) {
      expect([each, linear(each)]).not.toEqual([each, null]);
      for (const text of texts)
        expect([each, text, linear(each)!.test(text)]).toEqual([each, text, new RegExp(each, 'u').test(text)]);
    }
  });
});

const folder = process.env.HOLDFAST_JSON_SCHEMA_TEST_SUITE;
const suite = folder ? describe : describe.skip;

suite(
  `the patterns of the JSON-Schema-Test-Suite${folder ? '' : ' (needs HOLDFAST_JSON_SCHEMA_TEST_SUITE, a checkout of it)'}`,
  () => {
    it('get the same verdict from RE2, as far as it has their syntax', () => {
      const dialects = Object.keys(DIALECTS) as SuiteDialect[];
      const all = dialects.flatMap((dialect) => cases(folder!, dialect));
      const patterns = [...new Set(all.flatMap(({ input }) => patternsOf(input)))].filter((source) => expressionOf(source));
      const texts = [...new Set(all.flatMap(({ tests }) => tests.flatMap(({ data }) => textsOf(data))))];
      let inRe2 = 0;
      for (const each of patterns) {
        const matcher = linear(each);
        if (!matcher) continue;
        inRe2 += 1;
        for (const text of texts)
          expect([each, text, matcher.test(text)]).toEqual([each, text, new RegExp(each, 'u').test(text)]);
      }
      console.info(`${patterns.length} patterns, ${inRe2} in RE2, ${texts.length} texts`);
      expect(inRe2).toBeGreaterThan(20);
    });
  },
);

function expressionOf(source: string): RegExp | null {
  try {
    return new RegExp(source, 'u');
  } catch {
    return null;
  }
}

function patternsOf(schema: Json): string[] {
  if (Array.isArray(schema)) return schema.flatMap(patternsOf);
  if (!isJsonObject(schema)) return [];
  const own = typeof schema.pattern === 'string' ? [schema.pattern] : [];
  const named = isJsonObject(schema.patternProperties) ? Object.keys(schema.patternProperties) : [];
  return [...own, ...named, ...Object.values(schema).flatMap(patternsOf)];
}

function textsOf(data: Json): string[] {
  if (typeof data === 'string') return [data];
  if (Array.isArray(data)) return data.flatMap(textsOf);
  return isJsonObject(data) ? Object.entries(data).flatMap(([name, value]) => [name, ...textsOf(value)]) : [];
}
