/**
 * Splits text into pages of at most 4 KB (UTF-8), cut at line ends. A line that is longer than a page is cut after a sentence,
 * otherwise after a space. A cursor is `o` and the offset in characters (UTF-16 units).
 */
import { ToolError } from 'holdfast/tools';

const PAGE_BYTES = 4096;

/** @throws ToolError INVALID_PARAMS `bad_cursor` */
export function page(text: string, cursor?: string): { text: string; next_cursor: string | null } {
  const start = cursor === undefined ? 0 : Number(/^o(\d{1,9})$/.exec(cursor)?.[1] ?? NaN);
  if (!isPageStart(text, start)) {
    const hint = 'Pass the next_cursor of the page before, unchanged, or leave it out for the first page.';
    throw new ToolError('INVALID_PARAMS', 'bad_cursor', `${JSON.stringify(cursor)} is no cursor of this section.`, { hint });
  }
  const end = pageEnd(text, start);
  return { text: text.slice(start, end), next_cursor: end < text.length ? `o${end}` : null };
}

/** Accepts only offsets at which a page starts. It walks the pages before, which costs one pass over the text. */
function isPageStart(text: string, start: number): boolean {
  let at = 0;
  while (at < start && at < text.length) at = pageEnd(text, at);
  return at === start && (start < text.length || start === 0);
}

function pageEnd(text: string, start: number): number {
  let end = start;
  for (let bytes = 0; end < text.length;) {
    // A character has at least one byte, so a line that does not end within this window does not fit.
    const window = text.slice(end, end + PAGE_BYTES + 1);
    const newline = window.indexOf('\n');
    const line = newline < 0 ? window : window.slice(0, newline + 1);
    bytes += Buffer.byteLength(line);
    if (bytes > PAGE_BYTES) return end > start ? end : start + cut(line);
    end += line.length;
  }
  return end;
}

/** How many characters of a line that is too long go on one page; at least one. */
function cut(line: string): number {
  let length = 0;
  let bytes = 0;
  for (const character of line) {
    bytes += Buffer.byteLength(character);
    if (bytes > PAGE_BYTES) break;
    length += character.length;
  }
  const fitting = line.slice(0, length);
  const sentence = Math.max(...['. ', '! ', '? ', '; '].map((end) => fitting.lastIndexOf(end)));
  const place = sentence > length / 2 ? sentence + 1 : fitting.lastIndexOf(' ');
  return place > 0 ? place + 1 : length;
}
