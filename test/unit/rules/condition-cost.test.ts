/** Conditions that run on the worker's own thread are short there, and conditions that run in another thread give the same result. */
import { compileCondition } from '../../../src/rules/conditions/compile';
import type { ConditionFacts } from '../../../src/rules/conditions/condition';
import { fewSteps, outcomesInThread } from '../../../src/tools/admit/expressions';
import { endThreads } from '../../../src/tools/isolation/pool';
import { TRUSTED } from '../../support/rules';

afterAll(() => endThreads());

/** Alone it is 5 ms at most: other work on the machine, and the collector of garbage, come on top. */
const MOST_MS = 50;

const DIGITS = { type: 'string', pattern: '^\\d+$' };
const schema = { properties: { number: DIGITS, divisor: DIGITS } };
const asked = (input: object): ConditionFacts => ({
  tool: { name: 't', version: '1', class: 'write', target: null, schema },
  input: input as never,
  turn: TRUSTED,
});

function condition(text: string) {
  const compiled = compileCondition(text);
  if (!compiled.ok) throw new Error(compiled.fault);
  return compiled.condition;
}

const rows = (size: number) => Array.from({ length: size }, (_, i) => i);
const texts = (size: number) => rows(size).map((i) => `${'a'.repeat(30)}${i}`);
const repeated = (part: string, count: number, by: string) => Array(count).fill(part).join(by);

/** The slowest case of each kind of operation, at a size. */
const WORST: Record<string, [text: string, input: (size: number) => object]> = {
  'a comparison': ['input.x == 1', () => ({ x: 1 })],
  'a long text beside': ['input.x == 1', (size) => ({ x: 1, text: 'a'.repeat(size) })],
  'many values beside': ['input.x == 1', (size) => ({ x: 1, rows: rows(size) })],
  'a text that is counted': ['size(input.text) > 0', (size) => ({ text: 'a'.repeat(size) })],
  'texts put together': [`size(${repeated('input.text', 10, '+')}) > 0`, (size) => ({ text: 'a'.repeat(size) })],
  'a text in a text': [
    'input.text.contains(input.part)',
    (size) => ({ text: 'a'.repeat(4 * size), part: `${'a'.repeat(size)}b${'a'.repeat(size)}` }),
  ],
  'a text in a text, for each row': [
    'input.rows.all(row, !input.text.contains(row))',
    (size) => ({ text: 'a'.repeat(4 * size), rows: texts(size) }),
  ],
  'many comparisons of each row': [
    `input.rows.all(row, ${repeated('row == -1', 30, '||')} || true)`,
    (size) => ({ rows: rows(size) }),
  ],
  'a row in other rows': [
    'input.rows.all(row, row in input.others || true)',
    (size) => ({ rows: texts(size), others: texts(size).reverse() }),
  ],
  'rows compared for each row': [
    'input.rows.all(row, input.rows == input.others)',
    (size) => ({ rows: rows(size), others: rows(size) }),
  ],
  'a failure for each row': [`input.rows.all(row, ${repeated('row.x', 40, '||')})`, (size) => ({ rows: rows(size) })],
  'a failure that repeats a text': [
    'input.rows.all(row, bool(input.text))',
    (size) => ({ rows: rows(size), text: 'a'.repeat(size * 10) }),
  ],
  'fields below fields': [
    'input.rows.all(row, input.a.b.c.d.e.f >= 0)',
    (size) => ({ rows: rows(size), a: { b: { c: { d: { e: { f: 1 } } } } } }),
  ],
  'a list that is made': ['input.rows.map(row, row) == input.rows.filter(row, true)', (size) => ({ rows: rows(size) })],
  'what is in a list that is made': ['-1 in input.rows.map(row, row)', (size) => ({ rows: rows(size) })],
  'lists put together': [`-1 in (${repeated('input.rows', 5, '+')})`, (size) => ({ rows: rows(size) })],
  'a loop over lists put together': [`(${repeated('input.rows', 5, '+')}).all(row, row >= 0)`, (size) => ({ rows: rows(size) })],
  'long numbers': [
    'input.rows.all(row, input.number % input.divisor > -1)',
    (size) => ({ rows: rows(size), number: '9'.repeat(Math.min(size * 10, 1000)), divisor: '7' }),
  ],
  'a text as a number': ['int(input.text) == 1', (size) => ({ text: '9'.repeat(size) })],
  'a number as a text': [
    'input.rows.all(row, string(input.number) != "")',
    (size) => ({ rows: rows(size), number: '9'.repeat(Math.min(size * 10, 1000)) }),
  ],
  'a pattern': ['input.text.matches("(a?){100}b$")', (size) => ({ text: 'a'.repeat(size) })],
  'a pattern of many classes': [
    `input.text.matches("${repeated('(?i)[\\\\pL\\\\pN\\\\pS]', 8, '')}")`,
    (size) => ({ text: 'a'.repeat(size) }),
  ],
  'a pattern for each row': [
    'input.rows.all(row, input.text.matches("^.*@bank$"))',
    (size) => ({ rows: rows(size), text: '@bank'.repeat(size) }),
  ],
};

/** The largest input that is evaluated at once. */
function largest(text: string, input: (size: number) => object): object {
  const fits = (size: number) => fewSteps([condition(text)], asked(input(size)));
  let size = 1;
  while (size < 1_000_000 && fits(size * 2)) size *= 2;
  for (let step = size / 2; step >= 1; step /= 2) if (size < 1_000_000 && fits(size + step)) size += step;
  expect([text, fits(size)]).toEqual([text, true]);
  return input(size);
}

it.each(Object.entries(WORST))(
  '%s is short if evaluated at once, and gives the same in a thread',
  async (_what, [text, input]) => {
    const call = asked(largest(text, input));
    const compiled = condition(text);
    let best = Infinity;
    let said;
    for (let round = 0; round < 3; round++) {
      const began = performance.now();
      said = compiled.holds(call);
      best = Math.min(best, performance.now() - began);
    }
    if (process.env.HOLDFAST_TEST_SHOW) console.log(_what, best.toFixed(2), JSON.stringify(call.input).length);
    expect(best).toBeLessThan(MOST_MS);
    expect(await outcomesInThread([compiled], call)).toEqual([said]);
  },
);

it.each<[string, string, object]>([
  ['a pattern of the input’s own', '"a".matches(input.part)', { part: 'b' }],
  ['a loop over what a loop made', 'input.rows.map(row, [row, row]).exists(row, 1 in row)', { rows: [1] }],
  ['a function that we have not measured', 'timestamp(input.at).getHours("Europe/Berlin") < 18', { at: '2026-11-23T12:00:00Z' }],
  ['more values than a condition looks at', 'input.x == 1', { x: 1, rows: rows(5001) }],
])('%s is never evaluated at once', async (_what, text, input) => {
  const compiled = condition(text);
  expect(fewSteps([compiled], asked(input))).toBe(false);
  expect(await outcomesInThread([compiled], asked(input))).toEqual([compiled.holds(asked(input))]);
});

it('many conditions are evaluated at once only if they are short together', () => {
  const [text, input] = WORST['a text that is counted']!;
  const call = asked(largest(text, input));
  expect(fewSteps([condition(text), condition(text)], call)).toBe(false);
});

it('a list that a loop makes is read at any length', () => {
  expect(condition('4899 in input.rows.map(row, row)').holds(asked({ rows: rows(4900) }))).toBe(true);
});
