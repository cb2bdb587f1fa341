/** Cursors for the pages of a walk: a cursor holds the place, and the query that it belongs to. */
import { canonical, isJsonObject, type JsonObject, type ToolContext } from 'holdfast/tools';
import { invalid } from '../files/refusals';
import { sha256 } from '../files/text';

/** The last path that was processed, and its last processed line; line 0: all of it. */
export interface Place {
  path: string[];
  line: number;
}

export function sealPage(ctx: ToolContext, query: object, place: Place): string {
  return ctx.cursors.seal({ query: hashOf(query), ...place });
}

/** @throws ToolError INVALID_PARAMS `bad_cursor` for a cursor of another query, or an invented one */
export function openPage(ctx: ToolContext, query: object, cursor: string | undefined): Place | null {
  if (cursor === undefined) return null;
  const content = ctx.cursors.open(cursor);
  if (isJsonObject(content) && content.query === hashOf(query))
    return { path: content.path as string[], line: content.line as number };
  throw invalid(
    'bad_cursor',
    'This cursor belongs to another search.',
    'Repeat the search that gave it, with nothing but cursor changed.',
  );
}

function hashOf(query: object): string {
  const entries = Object.entries(query).filter(([, value]) => value !== undefined);
  return sha256(canonical(Object.fromEntries(entries) as JsonObject)).slice(0, 32);
}
