import * as fc from 'fast-check';
import { canonical, CanonicalError } from '../../../src/shared/json/canonical';
import type { Json } from '../../../src/shared/json/json';
import { JsonSyntaxError, parseJson } from '../../../src/shared/json/parse-json';
import { runs } from '../../support/runs';
import { anyJson } from './any-json';

function refusal(text: string): JsonSyntaxError {
  try {
    parseJson(text);
  } catch (error) {
    if (error instanceof JsonSyntaxError) return error;
    throw error;
  }
  throw new Error('it was taken');
}

test.each<[string, number, string]>([
  ['', 0, 'the end'],
  ['{"a":1,"a":2}', 7, 'duplicate key "a"'],
  [String.raw`{"a":1,"\u0061":2}`, 7, 'duplicate key'],
  ['{"__proto__":1,"__proto__":2}', 15, 'duplicate key'],
  [String.raw`["\ud800"]`, 1, 'lone surrogate'],
  ['["\ud800"]', 1, 'lone surrogate'],
  [String.raw`{"\udc00":1}`, 1, 'lone surrogate'],
  ['9007199254740992', 0, '2^53'],
  ['[-9007199254740993]', 1, '2^53'],
  ['1e30', 0, '2^53'],
  ['9007199254740993.0', 0, '2^53'],
  ['1e400', 0, 'double'],
  ['[1,]', 3, 'expected a value'],
  ['{"a":1,}', 7, 'expected a key'],
  ["{'a':1}", 1, 'expected a key'],
  ['[1 2]', 3, 'expected "," or "]"'],
  ['{"a" 1}', 5, 'expected ":"'],
  ['{"a":1', 6, 'expected "," or "}"'],
  ['01', 1, 'expected the end'],
  ['-', 1, 'expected a digit'],
  ['1.', 2, 'expected a digit'],
  ['1e+', 3, 'expected a digit'],
  ['.5', 0, 'expected a value'],
  ['+1', 0, 'expected a value'],
  ['NaN', 0, 'expected a value'],
  ['tru', 0, 'expected a value'],
  ['"a\nb"', 2, 'control character'],
  ['"abc', 4, 'without an end'],
  [String.raw`"\x41"`, 1, 'escape'],
  [String.raw`"\u12g4"`, 1, 'four hex digits'],
  ['"\\', 1, 'escape'],
  ['1 //', 2, 'expected the end'],
  ['\ufeff1', 0, 'expected a value'],
  ['\u00a01', 0, 'expected a value'],
])('%j is refused at position %i: %s', (text, position, reason) => {
  const error = refusal(text);
  expect(error.position).toBe(position);
  expect(error.reason).toContain(reason);
});

test('a key __proto__ is an own property and sets no prototype', () => {
  const value = parseJson('{"__proto__":{"admin":true}}') as Record<string, Json>;
  expect(Object.keys(value)).toEqual(['__proto__']);
  expect((value as { admin?: unknown }).admin).toBeUndefined();
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
});

test('a key that every object inherits does not count as a duplicate', () => {
  expect(Object.keys(parseJson('{"toString":1,"constructor":2}') as object)).toEqual(['toString', 'constructor']);
});

test('minus zero is zero', () => {
  expect(Object.is(parseJson('-0'), 0)).toBe(true);
  expect(Object.is(parseJson('-0.0e3'), 0)).toBe(true);
});

test('200 levels are taken, 201 are refused', () => {
  expect(() => parseJson('['.repeat(200) + ']'.repeat(200))).not.toThrow();
  expect(refusal('['.repeat(201) + ']'.repeat(201)).reason).toContain('200');
});

test('every value with a canonical form is read as JSON.parse reads it, with any spacing', () => {
  fc.assert(
    fc.property(anyJson, fc.constantFrom(0, 1, 4, '\t'), (value, indent) => {
      const text = JSON.stringify(value, null, indent);
      expect(canonical(parseJson(text))).toBe(canonical(value));
    }),
  );
});

test('no text is accepted that JSON.parse refuses, and both give the same value', () => {
  const pieces = fc.constantFrom(
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '"',
    '\\',
    'a',
    '"a"',
    '"b"',
    '1',
    '-',
    '.5',
    'e1',
    'null',
    ' ',
    '\\u0041',
    '\t',
    '0',
  );
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 14 }), (chosen) => {
      const text = chosen.join('');
      let value: Json;
      try {
        value = parseJson(text);
      } catch (error) {
        expect(error).toBeInstanceOf(JsonSyntaxError);
        return;
      }
      expect(canonical(value)).toBe(canonical(JSON.parse(text) as Json));
    }),
    { numRuns: runs(1000, 5000) },
  );
});

test('every value that the parser accepts has a canonical form', () => {
  const texts = fc.oneof(fc.json(), fc.double().map(String), fc.bigInt().map(String));
  fc.assert(
    fc.property(texts, (text) => {
      try {
        canonical(parseJson(text));
      } catch (error) {
        expect(error).not.toBeInstanceOf(CanonicalError);
      }
    }),
    { numRuns: runs(200, 1000) },
  );
});

test.each<[string, (n: number) => string]>([
  ['open brackets', (n) => '['.repeat(n)],
  ['open objects', (n) => '{"a":'.repeat(n / 5)],
  ['escapes', (n) => `"${'\\u0041'.repeat(n / 6)}"`],
  ['a string without an end', (n) => `"${'a'.repeat(n)}`],
  ['digits', (n) => '1'.repeat(n)],
  ['decimals', (n) => `0.${'1'.repeat(n)}`],
  ['spaces', (n) => ' '.repeat(n)],
  ['keys', (n) => `{${Array.from({ length: n / 12 }, (_, i) => `"k${i}":1`).join(',')}}`],
  [
    'long keys with one beginning',
    (n) => `{${Array.from({ length: n / 1010 }, (_, i) => `"${'k'.repeat(1000)}${i}":1`).join(',')}}`,
  ],
])('one megabyte of %s is parsed or refused', (_what, text) => {
  const hostile = text(1 << 20);
  try {
    parseJson(hostile); // quadratic work on a megabyte would not end within the test's time limit
  } catch (error) {
    expect(error).toBeInstanceOf(JsonSyntaxError);
  }
});
