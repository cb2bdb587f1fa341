/**
 * Pagination of tool results by cursor. A cursor is sealed for the tool, the principal and the query (the input without `cursor`
 * and `limit`), so that a model can only continue its own query.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { hashJson } from '../../shared/json/digests';
import { isJsonObject, type Json, type JsonObject } from '../../shared/json/json';
import { canonical } from '../../shared/json/canonical';
import { parseJson } from '../../shared/json/parse-json';
import { ToolError } from '../define/errors';
import { toJson } from './to-json';

export interface Pagination {
  has_more: boolean;
  /** Null on the last page. */
  next_cursor: string | null;
  /** Number of items on all pages; null: unknown. */
  total_count: number | null;
}

export interface Page<T> {
  items: T[];
  pagination: Pagination;
}

const DEFAULT_LIMIT = 10;
const MAX_LIMIT = 100;
const MAX_CURSOR = 2000;
const CURSOR_TEXT = 'next_cursor of the page before; leave it out for the first page.';
const LIMIT_TEXT = `Items on the page, 1 to ${MAX_LIMIT}.`;

/** Fields for a zod input: `z.object({ query: …, ...pageInput })`. */
export const pageInput = {
  cursor: z.string().max(MAX_CURSOR).optional().describe(CURSOR_TEXT),
  limit: z.number().int().min(1).max(MAX_LIMIT).default(DEFAULT_LIMIT).describe(LIMIT_TEXT),
};

/** The same fields for an input that is a JSON Schema: `properties: { query: …, ...pageProperties }`. */
export const pageProperties: { cursor: JsonObject; limit: JsonObject } = {
  cursor: { type: 'string', maxLength: MAX_CURSOR, description: CURSOR_TEXT },
  limit: { type: 'integer', minimum: 1, maximum: MAX_LIMIT, default: DEFAULT_LIMIT, description: LIMIT_TEXT },
};

export interface PageInput {
  cursor?: string | undefined;
  limit: number;
}

/**
 * Where this call's page begins: the `next` that `page` got for the page before; null for the first page.
 * @throws ToolError INVALID_PARAMS `bad_cursor` for a cursor that was changed, or belongs to another tool or principal;
 *   `cursor_of_another_query` when the rest of the input has changed
 */
export function pagePosition<P extends Json>(cursors: Cursors, input: PageInput): P | null {
  if (input.cursor === undefined) return null;
  const content = cursors.open(input.cursor);
  if (!isJsonObject(content) || content.query !== queryOf(input)) {
    throw new ToolError('INVALID_PARAMS', 'cursor_of_another_query', 'This cursor belongs to a query with another input.', {
      hint: 'Repeat the input of the page before and change only cursor, or leave cursor out to begin anew.',
    });
  }
  return content.next as P;
}

/** Makes a page. @param next where the next page begins, as small JSON; null on the last page */
export function page<T>(
  cursors: Cursors,
  input: PageInput,
  { items, next, total = null }: { items: T[]; next: Json; total?: number | null },
): Page<T> {
  const next_cursor = next === null ? null : cursors.seal({ query: queryOf(input), next });
  return { items, pagination: { has_more: next_cursor !== null, next_cursor, total_count: total } };
}

/** Makes a page of a list that is in memory as a whole. @throws ToolError INVALID_PARAMS as `pagePosition` */
export function pageOfList<T>(cursors: Cursors, input: PageInput, all: readonly T[]): Page<T> {
  const from = pagePosition<number>(cursors, input) ?? 0;
  const end = from + input.limit;
  const next = end < all.length ? end : null;
  return page(cursors, input, { items: all.slice(from, end), next, total: all.length });
}

export interface AllPages<T> {
  items: T[];
  /** Why fetching ended. */
  ended: 'no_more' | 'max_items' | 'repeated_cursor';
}

/**
 * Fetches all pages, until there are no more, `maxItems` items are fetched, or a cursor repeats (an upstream may return pages in
 * a circle). It fetches at most `maxItems` pages, because pages may be empty.
 * @param fetchPage gets no cursor for the first page
 */
export async function fetchAllPages<T>(
  fetchPage: (cursor: string | undefined) => Promise<Page<T>>,
  { maxItems = 1000 }: { maxItems?: number } = {},
): Promise<AllPages<T>> {
  const items: T[] = [];
  const seenCursors = new Set<string>();
  let cursor: string | undefined;
  for (let pages = 0; pages < maxItems; pages++) {
    const { items: more, pagination } = await fetchPage(cursor);
    const room = maxItems - items.length;
    items.push(...more.slice(0, room));
    if (more.length > room) break;
    if (!pagination.has_more || pagination.next_cursor === null) return { items, ended: 'no_more' };
    if (more.length === room) break;
    cursor = pagination.next_cursor;
    if (seenCursors.has(cursor)) return { items, ended: 'repeated_cursor' };
    seenCursors.add(cursor);
  }
  return { items, ended: 'max_items' };
}

/** Hash of the query that a cursor belongs to. `limit` may change from page to page. */
function queryOf(input: PageInput): string {
  const { cursor: _cursor, limit: _limit, ...query } = input;
  const json = toJson(query);
  if (!json.ok) throw new TypeError(`An input with pages must be JSON: ${json.message}`);
  return hashJson(json.data);
}

// Page cursors are opaque to the model, and sealed with the store's key for one tool and one principal. A cursor
// that was changed, invented or taken from another tool is refused.

export interface Cursors {
  /** Encodes a position as a cursor, at most a few hundred characters for a small position. */
  seal(position: Json): string;
  /** Decodes a cursor. @throws ToolError INVALID_PARAMS `bad_cursor` unless this tool gave it to this principal */
  open(cursor: string): Json;
}

const TAG_BYTES = 16;

/** @param key at least 32 secret bytes */
export function cursorsFor(key: Buffer, scope: { tool: string; principal: string }): Cursors {
  const tag = (body: Buffer) =>
    createHmac('sha256', key)
      .update(canonical({ ...scope }))
      .update('\n')
      .update(body)
      .digest()
      .subarray(0, TAG_BYTES);
  return {
    seal(position) {
      const body = Buffer.from(canonical(position), 'utf8');
      return Buffer.concat([tag(body), body]).toString('base64url');
    },
    open(cursor) {
      const bytes = Buffer.from(cursor, 'base64url');
      const body = bytes.subarray(TAG_BYTES);
      const genuine =
        bytes.length > TAG_BYTES &&
        bytes.toString('base64url') === cursor && // only the canonical encoding
        timingSafeEqual(bytes.subarray(0, TAG_BYTES), tag(body));
      if (!genuine) {
        throw new ToolError('INVALID_PARAMS', 'bad_cursor', 'This cursor was not given by this tool, or it was changed.', {
          hint: 'Use next_cursor exactly as the page before gave it, or leave cursor out to begin anew.',
          nothingHappened: false, // the tool may have acted before it opened the cursor
        });
      }
      return parseJson(body.toString('utf8'));
    },
  };
}
