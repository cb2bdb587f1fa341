/**
 * The texts of a card: what others wrote, in fences that nothing inside can end, with long lines broken where the Web UI would hide
 * their end. A text that is too long is cut, and a line below says how much is missing and where the whole is.
 */
import type { Json, JsonObject } from '../shared/json/json';
import { fenceText, inlineCode, visible } from '../shared/text/visible';

/** Most characters of one text of a card that does not fit as a whole. */
export const CARD_SECTION = 24_000;
/** The line under a cut text begins with this. */
export const TRUNCATION_MARK = '**TRUNCATED**';

/** How much of each text is shown. */
export interface Room {
  /** Characters of each text; a longer one is cut. */
  limit: number;
  /** Where the whole card is, on the page; null: there is no page. */
  link: string | null;
}

/** One text for each field. */
export function inputSections(input: JsonObject, { limit, link }: Room): string {
  const fields = Object.entries(input);
  if (fields.length === 0) return fenceText('{}');
  const share = Math.max(200, Math.floor(limit / fields.length));
  const total = fields.reduce((sum, [, value]) => sum + fieldText(value).length, 0);
  return fields
    .map(([name, value]) => {
      const text = fieldText(value);
      const kind = isLongText(value) ? ` (text, ${text.length} characters)` : '';
      return `${inlineCode(name)}${kind}\n\n${section(text, { limit: total <= limit ? limit : share, link })}`;
    })
    .join('\n\n');
}

function isLongText(value: Json): value is string {
  return typeof value === 'string' && (value.includes('\n') || value.length > 120);
}

function fieldText(value: Json): string {
  return isLongText(value) ? value : JSON.stringify(value, null, 2);
}

/** One line per field. */
export function targetText(target: JsonObject): string {
  const lines = Object.entries(target).map(
    ([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  return lines.join('\n');
}

export function previewText(preview: Json): string {
  return typeof preview === 'string' ? preview : JSON.stringify(preview, null, 2);
}

/** The text in a fence. It is cut at `limit` characters as displayed, and a line below says so. */
export function section(text: string, { limit, link }: Room): string {
  const visibleText = visible(text);
  if (visibleText.length <= limit) return wrappedFence(visibleText);
  const cut = visibleText.slice(0, limit).replace(/[\uD800-\uDBFF]$/, '');
  const missing = visibleText.length - cut.length;
  const where = link === null ? 'The rest is not shown here (`holdfast pending --watch` prints it)' : `All of it: <${link}>`;
  return `${wrappedFence(cut)}\n\n${TRUNCATION_MARK}: the first ${cut.length} of ${visibleText.length} characters; ${missing} are missing. ${where}. Do not approve what you have not read; deny it, and ask for less at once.`;
}

/** Columns that the Web UI shows in half a window of 1280 pixels. It does not wrap, so the rest of a longer line is hidden. */
const COLUMNS = 72;
const GOES_ON = '↪ ';

function wrappedFence(text: string): string {
  const lines = text.replaceAll('↪', '⟨U+21AA⟩').split('\n').map(wrapLine).join('\n');
  const note = `\n\n${inlineCode(GOES_ON)} marks a long line that goes on.`;
  return fenceText(lines) + (lines.includes(GOES_ON) ? note : '');
}

/** Breaks after a space if one is in the second half of the line. Removing `\n↪ ` restores the line, spaces included. */
function wrapLine(line: string): string {
  const parts: string[] = [];
  let part = '';
  let columns = 0;
  for (const char of line) {
    columns += columnsOf(char);
    part += char;
    if (columns <= COLUMNS) continue;
    const space = part.slice(0, -char.length).lastIndexOf(' ') + 1;
    const end = space > part.length / 2 ? space : part.length - char.length;
    parts.push(part.slice(0, end));
    part = part.slice(end);
    columns = GOES_ON.length + [...part].reduce((sum, each) => sum + columnsOf(each), 0);
  }
  return [...parts, part].join(`\n${GOES_ON}`);
}

const WIDE =
  /[\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6]|\p{Extended_Pictographic}/u;

function columnsOf(char: string): number {
  return char === '\t' ? 8 : WIDE.test(char) ? 2 : 1;
}

/** A digest gets a line of its own: on one line the card would hide its end. */
export function jsonFence(value: JsonObject): string {
  const fields = Object.entries(value).map(([key, field]) => {
    const text = JSON.stringify(field);
    return `${JSON.stringify(key)}:${text.length > 40 ? '\n' : ''} ${text}`;
  });
  return `\`\`\`json\n{${fields.join(',\n ')}}\n\`\`\``;
}
