/**
 * Finds sections by their titles alone: in exhibits, which have no item numbers (an annual report as Exhibit 13), and in filings
 * that keep an item's content somewhere else. If several places have the right title, the one with the most text is the section:
 * the others are lists of contents and references.
 */
import { words } from './forms';
import { endsWithPageNumber } from './headings';
import { type Line } from './lines';
import { type SectionName } from './section-types';

export interface Range {
  /** Index of the heading's line, and of the first line after the section. */
  start: number;
  end: number;
}

const STATEMENT =
  /^(?:condensed )?(?:consolidated )?(?:statements?|balance sheets?)(?: of)?(?: consolidated)?(?: (?:income|operations|earnings|financial position|comprehensive income|cash flows))?$/;
const AUDITORS_REPORT = /^reports? of independent registered public accounting firm/;
const STATEMENTS_INDEX = /^index to (?:the )?(?:condensed )?(?:consolidated )?financial statements/;
const MANAGEMENTS_REPORT = /^(?:management s? ?(?:annual )?(?:report|statement)|(?:report|statement) of management)/;

const STARTS: Record<SectionName, RegExp[]> = {
  'MD&A': [/^management s? ?discussion(?: and analysis.*)?$/, /^financial review$/],
  'Risk Factors': [/^(?:summary of )?risk factors$/],
  Financials: [AUDITORS_REPORT, STATEMENTS_INDEX, STATEMENT, /^financial statements and supplementary data/],
};

/** Titles that end any section. */
const STOPS = [
  /^signatures?$/,
  /^(?:exhibit index|index to exhibits|exhibits|index of exhibits)$/,
  /^(?:selected (?:consolidated )?financial data|(?:five|ten) year (?:summary|comparison|financial|selected))/,
  /^(?:stock )?performance graph/,
  /^(?:stock|share)holder information/,
  /^quantitative and qualitative disclosures? about market risk/,
  /^controls and procedures$/,
];
const STOPS_OF: Record<SectionName, RegExp[]> = {
  'MD&A': [AUDITORS_REPORT, STATEMENTS_INDEX, MANAGEMENTS_REPORT, ...STARTS['Risk Factors']],
  'Risk Factors': [...STARTS['MD&A'], AUDITORS_REPORT, STATEMENTS_INDEX],
  Financials: [...STARTS['MD&A'], ...STARTS['Risk Factors']],
};
const MAX_TITLE = 150;

/**
 * @param stops lines at which any section ends, ascending: the headings of items
 * @returns the longest range that begins with the section's title; null if no heading has this title
 */
export function rangeByTitle(lines: Line[], name: SectionName, stops: number[] = []): Range | null {
  const endings = [...STOPS, ...STOPS_OF[name]];
  const stopAt = new Set(stops);
  let longest: (Range & { chars: number }) | null = null;
  let open: (Range & { chars: number }) | null = null;
  lines.forEach((line, i) => {
    const title = titleOf(line);
    const ends = stopAt.has(i) || (title !== null && endings.some((ending) => ending.test(title)));
    if (ends) open = null;
    if (!open && title !== null && STARTS[name].some((start) => start.test(title))) open = { start: i, end: i, chars: 0 };
    if (!open) return;
    open.end = i + 1;
    open.chars += line.text.length;
    if (!longest || open.chars > longest.chars) longest = open;
  });
  return longest;
}

/** The words of a line that is formatted as a heading; null for others. */
function titleOf(line: Line): string | null {
  if (line.text.length > MAX_TITLE || line.cells > 1 || line.isLinked || endsWithPageNumber(line.text)) return null;
  if (!line.bold && line.text !== line.text.toUpperCase()) return null;
  return words(line.text).replace(/ continued$/, '');
}
