/** A result loses nothing silently: a value that JSON cannot hold is named, with its place. */
import { toJson } from '../../../../src/tools/results/to-json';

class Account {
  readonly #balance = 7;
  get balance() {
    return this.#balance;
  }
}

describe('a result as JSON', () => {
  it.each([
    ['a Map', { rows: [{ totals: new Map([['a', 1]]) }] }, 'rows[0].totals is a Map: return Object.fromEntries(map)'],
    ['a Set', { tags: new Set(['a']) }, 'tags is a Set: return [...set]'],
    ['a promise', { user: Promise.resolve(1) }, 'user is a promise: await it'],
    ['NaN', { mean: 0 / 0 }, 'mean is NaN, which JSON has no number for'],
    ['Infinity', [1, 1 / 0], '[1] is Infinity, which JSON has no number for'],
    ['a function', { close: () => undefined }, 'close is a function'],
    ['a symbol', { kind: Symbol('x') }, 'kind is a symbol'],
    ['an error', { failed: new TypeError('no') }, 'failed is an Error: throw it, or return its message'],
    ['a pattern', { match: /a/ }, 'match is a regular expression: return its source'],
    ['bytes', { pdf: new Uint8Array(2) }, 'pdf is bytes: return binaryFile(…), or base64 text'],
    ['a buffer', { pdf: Buffer.from('x') }, 'pdf is bytes: return binaryFile(…), or base64 text'],
    ['an invalid date', { on: new Date('x') }, 'on is an invalid date'],
    [
      'a response',
      { page: new Response('x') },
      'page is an object of class Response, of which JSON would keep nothing: return what you want of it',
    ],
    [
      'headers',
      { a: [new Headers({ b: 'c' })] },
      'a[0] is an object of class Headers, of which JSON would keep nothing: return what you want of it',
    ],
    [
      'what a class hides',
      new Account(),
      'it is an object of class Account, of which JSON would keep nothing: return what you want of it',
    ],
    [
      'an iterator',
      { keys: new Map([[1, 2]]).keys() },
      /^keys is an object of class (Map Iterator|Object|Iterator), of which JSON would keep/,
    ],
    ['names that are symbols', { a: { [Symbol('b')]: 1 } }, 'a is an object whose fields all have symbols for names'],
    ['NaN in a box', { n: Object(NaN) as unknown }, 'n is NaN, which JSON has no number for'],
    ['all of it', new Map(), 'it is a Map: return Object.fromEntries(map)'],
  ])('%s is a fault', (_name, value, message) => {
    expect(toJson(value)).toEqual({ ok: false, message: typeof message === 'string' ? message : expect.stringMatching(message) });
  });

  it('accepts empty values, and fields that classes do not hide', () => {
    const point = Object.assign(new Account(), { owner: 'ana' });
    const value = { a: {}, b: [], c: Object.create(null) as object, d: new String(''), e: point, f: JSON.parse('{}') as object };
    expect(toJson(value)).toEqual({ ok: true, data: { a: {}, b: [], c: {}, d: '', e: { owner: 'ana' }, f: {} } });
  });

  it('names the first place of a value that occurs twice', () => {
    const shared = { n: NaN };
    expect(toJson({ a: { n: 1 }, b: [shared, shared] })).toMatchObject({
      message: 'b[0].n is NaN, which JSON has no number for',
    });
  });

  it('leaves undefined fields out, and writes dates and large integers as texts', () => {
    const value = { a: undefined, on: new Date(0), big: 2n ** 60n, at: new URL('https://a.example/') };
    const data = { on: '1970-01-01T00:00:00.000Z', big: '1152921504606846976', at: 'https://a.example/' };
    expect(toJson(value)).toEqual({ ok: true, data });
  });
});
