/** Text in pages of at most 4 KB (UTF-8), cut at line ends; a cursor is `o` and the offset in characters. */
import { ToolError } from '../../tools/errors';

const PAGE_BYTES = 4096;

/** @throws ToolError INVALID_PARAMS `bad_cursor` */
export function page(text: string, cursor?: string): { text: string; next_cursor: string | null } {
  const start = cursor === undefined ? 0 : Number(/^o(\d{1,7})$/.exec(cursor)?.[1] ?? NaN);
  if (!(start < text.length) || (start > 0 && text[start - 1] !== '\n')) {
    const hint = 'Pass the next_cursor of the page before, unchanged, or leave it out for the first page.';
    throw new ToolError('INVALID_PARAMS', 'bad_cursor', `${JSON.stringify(cursor)} is no cursor of this section.`, { hint });
  }
  let end = start;
  while (end < text.length) {
    const newline = text.indexOf('\n', end);
    const next = newline < 0 ? text.length : newline + 1;
    if (end > start && Buffer.byteLength(text.slice(start, next)) > PAGE_BYTES) break;
    end = next;
  }
  return { text: text.slice(start, end), next_cursor: end < text.length ? `o${end}` : null };
}
