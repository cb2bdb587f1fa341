/**
 * Reads the sections of a 10-K or 10-Q from its primary document's HTML as filed. Pure: HTML in, plain text out.
 *
 * HTML → lines (lines.ts) → without page furniture → headings → outline → sections. If an item refers to another place in the
 * document, that text is read. If it refers to an exhibit, the result names the exhibit, and the caller reads it.
 */
import { join } from 'node:path';
import { defineJob } from 'holdfast/tools';
import { findExhibit, pointsElsewhere } from './incorporated-by-reference';
import { FORM_ITEMS, type FormItem, type PeriodicForm, words } from './forms';
import { withoutFurniture } from './furniture';
import { findHeadings, type Heading, isPartLine } from './headings';
import { type Line, readLines, UnreadableHtml } from './lines';
import { outline } from './outline';
import { SECTION_NAMES, type SectionName, type SectionReading, type SectionText } from './section-types';
import { type Range, rangeByTitle } from './range-by-title';

export type { PeriodicForm };
export { type SectionItem, type SectionName, type SectionPointer, type SectionReading, type SectionText } from './section-types';

type Sections = Record<SectionName, SectionReading>;

/** Runs in a thread with a time limit: companies write these documents, of up to 64 MB, and every line is searched for headings. */
export const sectionsJob = defineJob<{ html: string; form: PeriodicForm | 'exhibit' }, Sections>(
  join(__dirname, 'index'),
  'sectionsOf',
  'The reading of the document',
  { ms: 20_000, reason: 'document_too_slow', hint: 'Take another filing, or the figures by ratio_card.' },
);

export function sectionsOf({ html, form }: { html: string; form: PeriodicForm | 'exhibit' }): Sections {
  return form === 'exhibit' ? readExhibitSections(html) : readSections(html, form);
}

/** MD&A is Item 7 alone: market risk (7A) is an item of its own. */
const ITEM_OF: Record<PeriodicForm, Record<SectionName, string>> = {
  '10-K': { 'MD&A': 'Item 7', 'Risk Factors': 'Item 1A', Financials: 'Item 8' },
  '10-Q': { 'MD&A': 'Part I, Item 2', 'Risk Factors': 'Part II, Item 1A', Financials: 'Part I, Item 1' },
};

/** Characters. A heading with a page number and less text than this after it is surely an entry in a table of contents. */
const MIN_PAGED_TEXT = 1_000;

/**
 * Does not throw if a document cannot be read: then all sections are missing, with the reason. 10-K: MD&A is Item 7 (without 7A),
 * Risk Factors Item 1A, Financials Item 8; 10-Q: Part I Item 2, Part II Item 1A, Part I Item 1. An item that says "not applicable"
 * is found, and short.
 */
export function readSections(html: string, form: PeriodicForm): Record<SectionName, SectionReading> {
  return readAll(html, (lines) => {
    const candidates = findHeadings(lines, form);
    const filing: Filing = { lines, form, candidates, headings: outline(lines, candidates, form) };
    return (name) => readSection(filing, name);
  });
}

/** Reads the sections of an exhibit that a pointer names, by their headings: an exhibit has no item numbers. */
export function readExhibitSections(html: string): Record<SectionName, SectionReading> {
  return readAll(html, (lines) => (name) => {
    const range = rangeByTitle(lines, name);
    if (!range) return { missing: `the exhibit has no heading of ${name}` };
    const text = textOf(lines, range.start + 1, range.end);
    return { found: { text, items: [{ item: 'Exhibit', title: lines[range.start]!.text, chars: text.length }], notes: [] } };
  });
}

interface Filing {
  lines: Line[];
  form: PeriodicForm;
  candidates: Heading[];
  headings: Heading[];
}

function readAll(html: string, reader: (lines: Line[]) => (name: SectionName) => SectionReading) {
  let read: (name: SectionName) => SectionReading;
  try {
    read = reader(withoutFurniture(readLines(html)));
  } catch (error) {
    if (!(error instanceof UnreadableHtml)) throw error;
    read = () => ({ missing: error.message });
  }
  return Object.fromEntries(SECTION_NAMES.map((name) => [name, read(name)])) as Record<SectionName, SectionReading>;
}

function readSection(filing: Filing, name: SectionName): SectionReading {
  const item = FORM_ITEMS[filing.form].find((one) => one.name === ITEM_OF[filing.form][name])!;
  const heading = filing.headings.find((one) => one.item === item);
  const own = heading && readItem(filing, heading);
  if (!heading || !own || isOnlyListed(filing, heading, own.text)) {
    const sectionByTitle = readByTitle(filing, name, null);
    if (!sectionByTitle) return { missing: missing(filing, item, heading) };
    return {
      found: { ...sectionByTitle, notes: [`${item.name} has no heading of its own; the section was found by its title`] },
    };
  }

  const pointer = findExhibit(own.text);
  if (pointer) return { pointer };
  // Risk factors of a 10-Q refer to the annual report, which is another document.
  const sentence = name === 'Risk Factors' ? null : pointsElsewhere(own.text);
  const sectionByTitle = sentence ? readByTitle(filing, name, heading) : null;
  if (!sectionByTitle || sectionByTitle.text.length < own.text.length) return { found: { ...own, notes: [] } };
  const note = `${item.name} refers to another place of the document, and that text is included: "${sentence}"`;
  return {
    found: { text: `${own.text}\n${sectionByTitle.text}`, items: [...own.items, ...sectionByTitle.items], notes: [note] },
  };
}

/** True for an entry of a table of contents. The outline has one only if the document has no other heading of this item. */
function isOnlyListed({ headings }: Filing, heading: Heading, text: string): boolean {
  if (text === '') return true;
  return heading.hasPageNumber && (text.length < MIN_PAGED_TEXT || headings.every((one) => one.hasPageNumber));
}

type Reading = Pick<SectionText, 'text' | 'items'>;

function readItem(filing: Filing, heading: Heading): Reading {
  const { lines, candidates, headings } = filing;
  const end = headings[headings.indexOf(heading) + 1]?.line ?? endOfItems(lines, heading.end);
  const heads = candidates.filter(({ item, line }) => item === heading.item && line >= heading.end && line < end);
  const running = new Set(heads.filter((head) => words(head.title) === words(heading.title)).map(({ line }) => line));
  const rest = textOf(lines, heading.end, end, running);
  const text = [heading.runIn, rest].filter(Boolean).join('\n');
  return { text, items: [{ item: heading.item.name, title: heading.title, chars: text.length }] };
}

/** Reads a section by its title alone, outside the item that points to it. */
function readByTitle(filing: Filing, name: SectionName, pointing: Heading | null): Reading | null {
  const { lines, headings } = filing;
  const stops = headings.filter((heading) => !heading.isContentsEntry).map(({ line }) => line);
  const range = rangeByTitle(lines, name, stops);
  if (!range || (pointing && range.start >= pointing.line && range.start < pointing.end)) return null;
  const text = textOf(lines, range.start, range.end);
  return { text, items: [{ item: placeOf(filing, range), title: lines[range.start]!.text, chars: text.length }] };
}

function placeOf({ lines, headings }: Filing, range: Range): string {
  const item = headings.findLast((heading) => heading.line <= range.start);
  if (!item) return 'before the first item';
  return endOfItems(lines, item.end) < range.start ? 'after the signatures' : item.item.name;
}

/** The last item ends at the signatures; in many filings the financial statements follow them. */
function endOfItems(lines: Line[], from: number): number {
  const signatures = lines.findIndex((line, i) => i >= from && /^signatures?$/.test(words(line.text)));
  return signatures < 0 ? lines.length : signatures;
}

/** The text of lines, without those that only name a part: they stand before the next item, or at the top of pages. */
function textOf(lines: Line[], start: number, end: number, without: ReadonlySet<number> = new Set()): string {
  const texts: string[] = [];
  for (let i = start; i < end; i++) if (!without.has(i) && !isPartLine(lines[i]!)) texts.push(lines[i]!.text);
  return texts.join('\n');
}

function missing(filing: Filing, item: FormItem, heading: Heading | undefined): string {
  if (heading) return `${item.name} is only listed: no text stands under a heading of it`;
  if (filing.headings.length === 0) return `the document has no headings of items of a ${filing.form}`;
  return `the document has no ${item.name}`;
}
