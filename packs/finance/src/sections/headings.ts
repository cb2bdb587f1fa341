/**
 * Finds lines that can be the heading of an item. A heading may stand alone, in table cells, or split over two lines (`Item 7.` and
 * below it the title). Contents, running heads and cross references look the same; outline.ts separates them later, by the text
 * that follows.
 */
import { FORM_ITEMS, type FormItem, type PeriodicForm, words } from './forms';
import { type Line } from './lines';

export interface Heading {
  item: FormItem;
  /** Index of its line, and of the first line after it. */
  line: number;
  end: number;
  title: string;
  /** Text of the item that shares the heading's line: `Item 3. Defaults. None.` */
  runIn: string;
  /** The title has the words of the form, or is bold: it is not a sentence that begins with `Item`. */
  hasFormTitle: boolean;
  /** It is a link or ends with a page number: probably an entry in a table of contents. */
  isContentsEntry: boolean;
  /** It ends with a page number: almost certainly such an entry. */
  hasPageNumber: boolean;
}

const PART = /^part\s{0,3}(iv|i{1,3}|[1-4])(?![a-z0-9])/i;
const PART_LINE = /^part (?:iv|i{1,3}|[1-4])(?: financial information| other information)?(?: unaudited)?(?: continued)?$/;
const ITEM = /^items?\s{0,3}(\d{1,2})(?!\d)\s?(?:([abc])(?![a-z]))?(?:\(t\))?/i;
/** `Items 1 and 2.`, `Item 7/7A.`: the first counts. */
const SECOND_NUMBER = /^\s?(?:and|&|,|\/)\s?(?:items?\s)?\d{1,2}[abc]?(?![a-z0-9])/i;
const SEPARATORS = /^[\s.:|–—―-]+/;
const CONTINUED_SUFFIX = /[\s.,(–—-]{0,3}\(?continued\)?\.?$/i;
const PAGE_NUMBER = /(?:^|[|.\s])(?:[A-Z]-)?\d{1,3}(?:[-–—]\d{1,3})?$/;
const MAX_TITLE = 250;

export function findHeadings(lines: Line[], form: PeriodicForm): Heading[] {
  const headings: Heading[] = [];
  let part: FormItem['part'] = 1;
  lines.forEach((line, i) => {
    let text = line.text.slice(0, 2 * MAX_TITLE);
    const partMatch = PART.exec(text);
    if (partMatch) {
      part = partNumber(partMatch[1]!);
      text = text.slice(partMatch[0].length).replace(/^[\s.,:|–—-]+/, '');
    }
    const heading = readHeading(lines, i, text, form, part);
    if (heading) headings.push(heading);
  });
  return headings;
}

/** A line that only names a part: `PART II`, `PART II — OTHER INFORMATION`. */
export function isPartLine(line: Line): boolean {
  return line.text.length <= 60 && PART_LINE.test(words(line.text));
}

export function endsWithPageNumber(title: string): boolean {
  return PAGE_NUMBER.test(title.slice(-10));
}

function readHeading(lines: Line[], i: number, text: string, form: PeriodicForm, part: FormItem['part']): Heading | null {
  const itemMatch = ITEM.exec(text);
  if (!itemMatch) return null;
  let rest = text.slice(itemMatch[0].length).replace(SECOND_NUMBER, '');
  if (/^[,;)”"’']/.test(rest)) return null;
  rest = rest.replace(SEPARATORS, '');

  const line = lines[i]!;
  const next = lines[i + 1];
  let end = i + 1;
  // Only a number: the title is the next line, unless another item begins there.
  if (rest === '' && next && next.text.length <= MAX_TITLE && !ITEM.test(next.text) && !PART.test(next.text)) {
    rest = next.text;
    end = i + 2;
  }
  const hasPageNumber = endsWithPageNumber(rest);
  const isContentsEntry = hasPageNumber || lines.slice(i, end).some(({ isLinked }) => isLinked);
  const [title, runIn] = splitRunIn(rest, end === i + 1 ? line.text : rest);
  const item = itemOf(`${itemMatch[1]}${itemMatch[2] ?? ''}`.toUpperCase(), title, form, part);
  if (!item || title.length > MAX_TITLE) return null;
  const knows = knownTitle(item, title);
  // "Item 7 of this report …" is a sentence.
  if (!knows && /^[a-z]/.test(title)) return null;
  return {
    item,
    line: i,
    end,
    title: title.replace(CONTINUED_SUFFIX, ''),
    runIn,
    hasFormTitle: knows || line.bold,
    isContentsEntry,
    hasPageNumber,
  };
}

export function knownTitle(item: FormItem, title: string): boolean {
  const titleWords = words(title);
  return item.words.some((mark) => titleWords.includes(mark));
}

/** The item's text may follow its title in the same line; then the title ends at the first full stop or colon. */
function splitRunIn(rest: string, line: string): [title: string, runIn: string] {
  const stop = rest.search(/[.:]\s/);
  if (stop < 0) return [/[.:|]$/.test(rest) ? rest.slice(0, -1).trim() : rest, ''];
  // `line` may be longer than the part of it that is searched for headings.
  const from = line.indexOf(rest.slice(0, stop + 1)) + stop + 1;
  return [rest.slice(0, stop), line.slice(from).trim()];
}

/** Item numbers repeat in a 10-Q: the title decides, otherwise the part that was named last. */
function itemOf(number: string, title: string, form: PeriodicForm, part: FormItem['part']): FormItem | undefined {
  const same = FORM_ITEMS[form].filter((item) => item.number === number);
  return same.find((item) => knownTitle(item, title)) ?? same.find((item) => item.part === part) ?? same[0];
}

function partNumber(roman: string): FormItem['part'] {
  return ({ i: 1, ii: 2, iii: 3, iv: 4 }[roman.toLowerCase()] ?? Number(roman)) as FormItem['part'];
}
