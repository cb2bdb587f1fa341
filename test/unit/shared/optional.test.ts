import { optional } from '../../../src/shared/json/optional';

test('leaves out undefined fields, and no others', () => {
  const fields: { a?: string; b: null; c: number; d: string; e: boolean } = { a: undefined, b: null, c: 0, d: '', e: false };
  expect(Object.entries(optional(fields))).toEqual([
    ['b', null],
    ['c', 0],
    ['d', ''],
    ['e', false],
  ]);
});

test('a field that may be undefined is optional in the type, another is not', () => {
  const found: { a?: string; b: number } = optional({ a: undefined as string | undefined, b: 1 });
  expect(found).toStrictEqual({ b: 1 });
});

test('a field named __proto__ stays a field', () => {
  expect(Object.keys(optional({ ['__proto__']: 1 }))).toEqual(['__proto__']);
});
