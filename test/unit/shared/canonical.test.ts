import * as fc from 'fast-check';
import { canonical, CanonicalError } from '../../../src/shared/json/canonical';
import type { Json } from '../../../src/shared/json/json';
import { parseJson } from '../../../src/shared/json/parse-json';
import { anyJson, shuffled } from './any-json';

function refusal(value: unknown): CanonicalError {
  try {
    canonical(value as Json);
  } catch (error) {
    if (error instanceof CanonicalError) return error;
    throw error;
  }
  throw new Error('it was taken');
}

function double(hex: string): number {
  return Buffer.from(hex, 'hex').readDoubleBE();
}

test('the example of RFC 8785, section 3.2.2, gives the text that the RFC prints', () => {
  const text = String.raw`{
    "numbers": [333333333.33333329, 4.50, 2e-3, 0.000000000000000000000000001],
    "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
    "literals": [null, true, false]
  }`;
  expect(canonical(parseJson(text))).toBe(
    String.raw`{"literals":[null,true,false],"numbers":[333333333.3333333,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`,
  );
});

test('keys sort by UTF-16 code units, as in RFC 8785, section 3.2.3', () => {
  const value = {
    '\u20ac': 'Euro Sign',
    '\r': 'Carriage Return',
    '\ufb33': 'Hebrew Letter Dalet With Dagesh',
    '1': 'One',
    '\ud83d\ude00': 'Emoji: Grinning Face',
    '\u0080': 'Control',
    '\u00f6': 'Latin Small Letter O With Diaeresis',
  };
  expect([...canonical(value).matchAll(/:"([^"]*)"/g)].map((match) => match[1])).toEqual([
    'Carriage Return',
    'One',
    'Control',
    'Latin Small Letter O With Diaeresis',
    'Euro Sign',
    'Emoji: Grinning Face',
    'Hebrew Letter Dalet With Dagesh',
  ]);
});

test.each([
  ['0000000000000000', '0'],
  ['8000000000000000', '0'],
  ['0000000000000001', '5e-324'],
  ['8000000000000001', '-5e-324'],
  ['3eb0c6f7a0b5ed8c', '9.999999999999997e-7'],
  ['3eb0c6f7a0b5ed8d', '0.000001'],
  ['41b3de4355555553', '333333333.3333332'],
  ['41b3de4355555554', '333333333.33333325'],
  ['41b3de4355555555', '333333333.3333333'],
  ['41b3de4355555556', '333333333.3333334'],
  ['41b3de4355555557', '333333333.33333343'],
  ['becbf647612f3696', '-0.0000033333333333333333'],
  ['43143ff3c1cb0959', '1424953923781206.2'],
])('the double %s is written %s, as in RFC 8785, appendix B', (hex, text) => {
  expect(canonical(double(hex))).toBe(text);
});

test.each([
  '7fefffffffffffff',
  'ffefffffffffffff',
  '4340000000000000',
  'c340000000000000',
  '4430000000000000',
  '44b52d02c7e14af5',
  '444b1ae4d6e2ef50',
])('the double %s of appendix B is refused, because it is an integer beyond ±(2^53−1)', (hex) => {
  expect(refusal(double(hex)).reason).toContain('2^53');
});

test('the largest safe integers are taken', () => {
  expect(canonical([Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER])).toBe('[9007199254740991,-9007199254740991]');
});

const cyclic: unknown[] = [];
cyclic.push(cyclic);
test.each<[string, unknown, string]>([
  ['undefined', { a: undefined }, '/a'],
  ['a function', [1, () => 1], '/1'],
  ['a symbol', [Symbol('s')], '/0'],
  ['a bigint', { a: { b: 1n } }, '/a/b'],
  ['NaN', [NaN], '/0'],
  ['Infinity', [-Infinity], '/0'],
  ['a lone surrogate in a string', { a: 'x\ud800y' }, '/a'],
  ['a lone surrogate in a key', { '\udc00': 1 }, '/\udc00'],
  ['a hole in an array', [1, , 2], '/1'],
  ['a Date', { at: new Date(0) }, '/at'],
  ['a Map', [new Map()], '/0'],
  ['a Buffer', [Buffer.from('x')], '/0'],
  ['a class instance', [new (class A {})()], '/0'],
  ['an object that inherits its fields', [Object.create({ a: 1 })], '/0'],
  ['a toJSON method', { toJSON: () => 1 }, '/toJSON'],
  ['undefined at the root', undefined, ''],
  ['a key that needs escaping', { 'a/b~c': undefined }, '/a~1b~0c'],
])('%s is refused with its path', (_what, value, path) => {
  expect(refusal(value).path).toBe(path);
});

test('a cycle is refused at once, and 200 levels are taken where 201 are not', () => {
  expect(refusal(cyclic).reason).toContain('cyclic');
  const wide: unknown[] = [];
  wide.push(wide, wide);
  expect(refusal(wide).reason).toContain('cyclic');
  const nest = (n: number): Json => (n === 0 ? 1 : [nest(n - 1)]);
  expect(canonical(nest(200))).toHaveLength(401);
  expect(refusal(nest(201)).reason).toContain('200');
});

test('an own key __proto__ is a key like any other', () => {
  const value = parseJson('{"b":1,"__proto__":{"a":2}}');
  expect(canonical(value)).toBe('{"__proto__":{"a":2},"b":1}');
});

test('text that looks the same but is composed differently stays different', () => {
  expect(canonical('\u00e9')).not.toBe(canonical('e\u0301'));
});

test('what is parsed from a canonical text has that canonical text', () => {
  fc.assert(fc.property(anyJson, (value) => canonical(parseJson(canonical(value))) === canonical(value)));
});

test('the order of keys is irrelevant, at every depth', () => {
  fc.assert(fc.property(anyJson, fc.nat(), (value, seed) => canonical(shuffled(value, seed)) === canonical(value)));
});

test('a canonical text is what JSON.parse reads as the same value', () => {
  fc.assert(fc.property(anyJson, (value) => canonical(JSON.parse(canonical(value)) as Json) === canonical(value)));
});
