import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { z } from 'zod';
import type { Json } from '../../../../src/shared/json/json';
import {
  cursorsFor,
  fetchAllPages,
  page,
  pageInput,
  pageOfList,
  pagePosition,
  pageProperties,
  type Page,
} from '../../../../src/tools/results/pages';
import { compile, inputSchema } from '../../../../src/tools/schema/schema';

const key = randomBytes(32);
const cursors = cursorsFor(key, { tool: 'list', principal: 'ana' });
const others = [
  cursorsFor(key, { tool: 'other', principal: 'ana' }),
  cursorsFor(key, { tool: 'list', principal: 'bo' }),
  cursorsFor(randomBytes(32), { tool: 'list', principal: 'ana' }),
];

const refused = (read: () => unknown) => {
  expect(read).toThrow(
    expect.objectContaining({ name: 'ToolError', detail: expect.objectContaining({ code: 'INVALID_PARAMS' }) }),
  );
};

/** A valid cursor for the query `{q}`. */
const cursorOf = (q: string, next: number) =>
  page(cursors, { limit: 1, q } as never, { items: [1], next }).pagination.next_cursor!;
const openWith = (with_: typeof cursors, cursor: string, q: string) => pagePosition(with_, { cursor, limit: 1, q } as never);

describe('pages', () => {
  it('give every item once, in order, if all are fetched, for any page sizes', () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 100 }), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(fc.array(fc.integer(), { maxLength: 300 }), sizes, (all, limits) => {
        const seen: number[] = [];
        let cursor: string | undefined;
        for (let at = 0; ; at++) {
          const { items, pagination } = pageOfList(cursors, { cursor, limit: limits[at % limits.length]! }, all);
          seen.push(...items);
          expect(pagination.total_count).toBe(all.length);
          expect(pagination.has_more).toBe(pagination.next_cursor !== null);
          if (pagination.next_cursor === null) break;
          cursor = pagination.next_cursor;
        }
        expect(seen).toEqual(all);
      }),
    );
  });

  it('refuse every cursor that was tampered with: INVALID_PARAMS', () => {
    fc.assert(
      fc.property(fc.string(), fc.nat(1e6), fc.nat(), fc.nat(7), (q, next, where, bit) => {
        const cursor = cursorOf(q, next);
        expect(openWith(cursors, cursor, q)).toBe(next);
        const bytes = Buffer.from(cursor, 'base64url');
        bytes[where % bytes.length]! ^= 1 << bit;
        refused(() => openWith(cursors, bytes.toString('base64url'), q)); // a bit
        refused(() => openWith(cursors, cursor.slice(0, where % cursor.length), q)); // its end
        refused(() => openWith(cursors, cursor + cursor[where % cursor.length]!, q)); // more than there was
        refused(() => openWith(cursors, cursor, `${q}x`)); // another query
        for (const other of others) refused(() => openWith(other, cursor, q)); // another tool, principal, key
      }),
    );
  });

  it('refuse a cursor in another spelling, and text that is not a cursor', () => {
    const cursor = cursorOf('q', 7);
    const bytes = Buffer.from(cursor, 'base64url');
    const spellings = [
      bytes.toString('base64'),
      bytes.toString('hex'),
      `${cursor}=`,
      ` ${cursor}`,
      `${cursor}\n`,
      encodeURIComponent(`${cursor}%`),
    ];
    for (const spelled of spellings) if (spelled !== cursor) refused(() => openWith(cursors, spelled, 'q'));
    fc.assert(fc.property(fc.string(), (text) => refused(() => openWith(cursors, text, 'q'))));
  });

  it('refuse a valid cursor that some other code sealed', () => {
    const foreign: Json[] = [7, null, [], { next: 1 }, { query: 'x', next: 1 }];
    for (const sealed of foreign) refused(() => openWith(cursors, cursors.seal(sealed), 'q'));
  });

  it('let the page size change from page to page, and nothing else', () => {
    const first = page(cursors, { limit: 10, q: 'a', since: undefined } as never, { items: [], next: { row: 10 } });
    const cursor = first.pagination.next_cursor!;
    expect(pagePosition(cursors, { limit: 3, q: 'a', cursor } as never)).toEqual({ row: 10 });
    refused(() => pagePosition(cursors, { limit: 3, q: 'a', lang: 'en', cursor } as never));
  });

  it('take a limit of 1 to 100, 10 without one, in zod and in JSON Schema alike', () => {
    const schemas = [
      inputSchema(z.object({ q: z.string(), ...pageInput })),
      inputSchema({ type: 'object', properties: { q: { type: 'string' }, ...pageProperties }, required: ['q'] }),
    ];
    for (const schema of schemas) {
      const validate = compile(schema);
      expect(validate({ q: 'a' })).toEqual({ valid: true, data: { q: 'a', limit: 10 } });
      for (const limit of [0, 101, 1.5, '5']) expect(validate({ q: 'a', limit })).toMatchObject({ valid: false });
      for (const limit of [1, 100]) expect(validate({ q: 'a', limit })).toMatchObject({ valid: true });
      expect(validate({ q: 'a', cursor: 'x'.repeat(2001) })).toMatchObject({ valid: false });
    }
  });
});

describe('fetching all pages', () => {
  const listed = (all: number[], limit: number) => (cursor: string | undefined) =>
    Promise.resolve(pageOfList(cursors, { cursor, limit }, all));
  const numbers = (count: number) => Array.from({ length: count }, (_none, index) => index);

  it('begins with the first page and ends at the last', async () => {
    expect(await fetchAllPages(listed(numbers(25), 10))).toEqual({ items: numbers(25), ended: 'no_more' });
    expect(await fetchAllPages(listed([], 10))).toEqual({ items: [], ended: 'no_more' });
  });

  it('stops at its bound, 1000 by default, and says so', async () => {
    expect(await fetchAllPages(listed(numbers(1500), 100))).toEqual({ items: numbers(1000), ended: 'max_items' });
    expect(await fetchAllPages(listed(numbers(30), 10), { maxItems: 15 })).toEqual({ items: numbers(15), ended: 'max_items' });
    expect(await fetchAllPages(listed(numbers(20), 10), { maxItems: 20 })).toEqual({ items: numbers(20), ended: 'no_more' });
  });

  it('ends at a repeated cursor, and after too many empty pages', async () => {
    const more = (cursor: string, items: number[]): Page<number> => ({
      items,
      pagination: { has_more: true, next_cursor: cursor, total_count: null },
    });
    const circle = async (cursor: string | undefined) => more(cursor === 'a' ? 'b' : 'a', [1]);
    expect(await fetchAllPages(circle)).toEqual({ items: [1, 1, 1], ended: 'repeated_cursor' });
    let count = 0;
    const endless = async () => more(`c${count++}`, []);
    expect(await fetchAllPages(endless, { maxItems: 50 })).toEqual({ items: [], ended: 'max_items' });
    expect(count).toBe(50);
  });
});
