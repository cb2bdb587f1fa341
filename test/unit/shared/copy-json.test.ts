import fc from 'fast-check';
import { copyJson, type Json } from '../../../src/shared/json/json';
import { anyJson } from './any-json';

test('a copy equals its original, and shares nothing with it', () => {
  fc.assert(
    fc.property(anyJson, (value) => {
      const copy = copyJson(value);
      expect(copy).toEqual(value);
      shareNothing(value, copy);
    }),
  );
});

test('a field __proto__ is a field like any other', () => {
  const value = JSON.parse('{"__proto__":{"a":[1]},"b":2}') as Json;
  const copy = copyJson(value);
  expect(JSON.stringify(copy)).toBe('{"__proto__":{"a":[1]},"b":2}');
  expect(Object.getPrototypeOf(copy)).toBe(Object.prototype);
});

function shareNothing(value: Json, copy: Json): void {
  if (typeof value !== 'object' || value === null) return;
  expect(copy).not.toBe(value);
  for (const [key, field] of Object.entries(value)) shareNothing(field, (copy as Record<string, Json>)[key]!);
}
