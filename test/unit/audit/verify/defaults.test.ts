import { Defaults, defaultsIn } from '../../../../src/audit/verify/defaults';
import type { Json } from '../../../../src/shared/json/json';

const SCHEMA: Json = {
  type: 'object',
  properties: {
    key: { type: 'string' },
    page: { $ref: '#/$defs/page' },
    tags: { type: 'array', prefixItems: [{ type: 'string' }, { default: 'x' }] },
  },
  $defs: { page: { type: 'object', default: {}, properties: { limit: { default: 5 }, sort: { default: 'asc' } } } },
};

test('the defaults of a schema are found at any depth, each once', () => {
  expect(defaultsIn(SCHEMA)).toEqual(expect.arrayContaining(['x', {}, 5, 'asc']));
  expect(defaultsIn({ a: { default: 5 }, b: [{ default: 5 }] })).toEqual([5]);
});

const with_ = (values: Json[] | null, asked: Json, taken: Json) => new Defaults(values).extend(asked, taken);

test.each<[string, Json, Json]>([
  ['nothing', { key: 'a' }, { key: 'a' }],
  ['a default with defaults in it', { key: 'a' }, { key: 'a', page: { limit: 5, sort: 'asc' } }],
  ['a default within what was asked for', { page: { limit: 9 } }, { page: { limit: 9, sort: 'asc' } }],
  ['an item of a list', { tags: ['a'] }, { tags: ['a', 'x'] }],
])('is the requested input, with %s', (_what, asked, taken) => {
  expect(with_(defaultsIn(SCHEMA), asked, taken)).toBe(true);
});

test.each<[string, Json, Json]>([
  ['another value', { key: 'a' }, { key: 'b' }],
  ['a value of another type', { key: '5' }, { key: 5 }],
  ['a field that is no default', { key: 'a' }, { key: 'a', page: { limit: 6 } }],
  ['a field less', { key: 'a', page: {} }, { key: 'a' }],
  ['an item less', { tags: ['a', 'b'] }, { tags: ['a'] }],
  ['a list in the place of an object', { page: {} }, { page: [] }],
])('is not the requested input: %s', (_what, asked, taken) => {
  expect(with_(defaultsIn(SCHEMA), asked, taken)).toBe(false);
});

test('if the defaults are unknown, an added field may be one; a requested field must stay', () => {
  expect(with_(null, { key: 'a' }, { key: 'a', page: { limit: 6 } })).toBe(true);
  expect(with_(null, { key: 'a' }, { key: 'b', page: { limit: 6 } })).toBe(false);
});
