import fc from 'fast-check';
import { calculate } from '../../../../packs/finance/src/calc/calculate';
import { isToolError } from '../../../../src/tools/define/errors';
import { call } from '../../../support/packs/finance/support';
import { runs } from '../../../support/runs';

const tool = async (expression: string) => (await call('calculate', { expression })).result;

/** A random expression together with its value, computed by JavaScript. */
const expression = fc.letrec<{ e: { text: string; value: number } }>((tie) => ({
  e: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.integer({ min: 0, max: 999 }).map((n) => ({ text: String(n), value: n })),
    fc.integer({ min: 1, max: 99999 }).map((n) => ({ text: String(n / 100), value: n / 100 })),
    fc.tuple(tie('e'), fc.constantFrom('+', '-', '*', '/'), tie('e')).map(([a, op, b]) => ({
      text: `(${a.text} ${op} ${b.text})`,
      value: op === '+' ? a.value + b.value : op === '-' ? a.value - b.value : op === '*' ? a.value * b.value : a.value / b.value,
    })),
    tie('e').map((a) => ({ text: `-(${a.text})`, value: -a.value })),
    tie('e').map((a) => ({ text: `abs(${a.text})`, value: Math.abs(a.value) })),
    fc.tuple(tie('e'), tie('e')).map(([a, b]) => ({ text: `max(${a.text}, ${b.text})`, value: Math.max(a.value, b.value) })),
    tie('e').map((a) => ({ text: `(${a.text})%`, value: a.value / 100 })),
  ),
})).e;

describe('calculate', () => {
  it.each<[string, number]>([
    ['24.2 / 94.9 * 100', (24.2 / 94.9) * 100],
    ['(120 - 100) / 100 * 100', 20],
    ['-2^2', -4],
    ['-2**2', -4],
    ['2^3^2', 512],
    ['2 ** -1', 0.5],
    ['1.5e3 + .5', 1500.5],
    ['12%', 0.12],
    ['12% + 1', 1.12],
    ['100 + 10%', 100.1],
    ['200 / 50%', 400],
    ['-3%', -0.03],
    ['5% * -2', -0.1],
    ['log(1000, 10)', 3],
    ['log(243, 3)', 5],
    ['log(1/8, 2)', -3],
    ['0xff', 255],
    ['sqrt(16) + ln(e) + log(8, 2) + log10(100)', 10],
    ['round(2.675, 2)', 2.68],
    ['round(-2.5)', -3],
    ['min(3, 1, 2) + max(4) + floor(-1.5) + ceil(1.2)', 5],
    ['mod(-1, 3)', 2],
    ['2*pi', 2 * Math.PI],
  ])('computes %s', async (text, value) => {
    expect(await tool(text)).toBeCloseTo(value, 12);
  });

  it.each<[string, number]>([
    ['log(1000, 10)', 3],
    ['log(1000000, 10)', 6],
    ['log(0.001, 10)', -3],
    ['log(243, 3)', 5],
    ['log(1/8, 2)', -3],
  ])('computes a whole logarithm exactly: %s', (text, value) => {
    expect(calculate(text)).toBe(value);
  });

  it('agrees with JavaScript on any arithmetic, or says that the result is not finite', () => {
    fc.assert(
      fc.property(expression, ({ text, value }) => {
        fc.pre(text.length <= 200);
        try {
          expect(calculate(text)).toBe(value === 0 ? 0 : value);
        } catch (error) {
          if (!isToolError(error)) throw error;
          expect(error.message).toMatch(/zero|finite/);
        }
      }),
      { numRuns: runs(100, 400) },
    );
  });

  it('never throws anything but a ToolError, for any text', () => {
    const text = fc.oneof(
      fc.string({ maxLength: 60 }),
      fc.string({ unit: fc.constantFrom(...'0123456789.,+-*/^%() epilogsqrtmax'.split('')), maxLength: 60 }),
    );
    fc.assert(
      fc.property(text, (input) => {
        try {
          expect(Number.isFinite(calculate(input))).toBe(true);
        } catch (error) {
          if (!isToolError(error)) throw error;
          expect(error.detail).toMatchObject({ code: 'INVALID_PARAMS', reason: 'calc_failed' });
          expect(error.detail.hint).toBeTruthy();
        }
      }),
      { numRuns: runs(300, 1500) },
    );
  });

  const attacks = [
    'constructor',
    'constructor("return process")()',
    'cos.constructor("return 1")()',
    'abs.constructor',
    'abs["constructor"]',
    '__proto__',
    '__proto__.x',
    'toString()',
    'hasOwnProperty(1)',
    'valueOf()',
    'import("fs")',
    'import(1)',
    'eval("1")',
    'eval(1)',
    'parse("1")',
    'parse(1)',
    'evaluate("1")',
    'compile(1)',
    'simplify(1)',
    'derivative(1, 1)',
    'Function("return 1")()',
    'process.exit(1)',
    'process',
    'globalThis',
    'this',
    'require("fs")',
    'require(1)',
    'x = 1',
    'f(x) = x',
    'abs = 1',
    'pi = 3',
    '1; 2',
    '1\n2',
    '[1, 2]',
    '[1,2][1]',
    '{a: 1}',
    '{a: 1}.a',
    '"text"',
    "'text'",
    '`1`',
    '9^9^9^9',
    '10^400',
    '1e999',
    'exp(1000)',
    '170!',
    '5!',
    '1/0',
    '0/0',
    'sqrt(-1)',
    'ln(0)',
    'Infinity',
    'NaN',
    'null',
    'undefined',
    'true',
    'i',
    '2 cm',
    '2 cm to inch',
    '1:1000000',
    'range(1, 1000000)',
    'ones(10000)',
    'a ? 1 : 2',
    '1 < 2',
    '1 == 1',
    '1 & 2',
    '1 << 40',
    'not 1',
    '1 and 1',
    '5 % 3',
    '5 mod 3',
    '2(3)',
    '(2)(3)',
    '2pi',
    'max()',
    'sqrt()',
    'sqrt(1, 2)',
    'sqrt',
    '１+１',
    '1\u200b+1',
    '1\u00a0+ 1',
    '∞',
    '٣+٣',
    'а+1',
    '1/*c*/+1',
    '1 # c',
    '1 // 2',
    '$',
    '1,234.5',
    'max(1,234)',
    '1_000',
    '0x10i128',
    '0xffi8',
    '1 + 0XFFi32',
    '0b11i2',
    '-0o17i64',
    '()',
    '(',
    '1)',
    '+',
    '',
    '   ',
    `${'('.repeat(100)}1`,
    `${'-'.repeat(199)}x`,
  ];
  it.each(attacks)('refuses %j without any effect', (text) => {
    const before = [Object.getOwnPropertyNames(Object.prototype).length, Object.keys(globalThis).length];
    let thrown: unknown;
    try {
      calculate(text);
    } catch (error) {
      thrown = error;
    }
    expect(isToolError(thrown) && thrown.detail).toMatchObject({ code: 'INVALID_PARAMS', reason: 'calc_failed' });
    expect([Object.getOwnPropertyNames(Object.prototype).length, Object.keys(globalThis).length]).toEqual(before);
    expect(calculate('pi + abs(-1)')).toBe(Math.PI + 1);
  });

  it('takes 200 characters and no more', async () => {
    expect(await tool(`1${'+1'.repeat(99)}`)).toBe(100);
    expect(await tool(`${'('.repeat(99)}1${')'.repeat(99)}`)).toBe(1);
    await expect(tool(`1${'+1'.repeat(100)}`)).rejects.toThrow('schema');
  });
});
