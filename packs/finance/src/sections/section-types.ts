/**
 * Types of a filing's sections (MD&A, Risk Factors, Financials), and of the outcome of reading one: the text, a pointer to an
 * exhibit, or the reason why it is missing.
 */

export type SectionName = 'MD&A' | 'Risk Factors' | 'Financials';
export const SECTION_NAMES: SectionName[] = ['MD&A', 'Risk Factors', 'Financials'];

export interface SectionItem {
  /** `Item 7`, `Part I, Item 2`; `Exhibit` in an exhibit. */
  item: string;
  title: string;
  chars: number;
}

export interface SectionText {
  /** Plain text, one line for each paragraph or table row (`Total net sales | 391,035 | 383,285`), without the item's heading. */
  text: string;
  items: SectionItem[];
  /** How the text was found, as far as a reader should know it. */
  notes: string[];
}

/** The item says that its content is in an exhibit (e.g. an annual report as EX-13). */
export interface SectionPointer {
  exhibit: string;
  sentence: string;
}

export type SectionReading = { found: SectionText } | { pointer: SectionPointer } | { missing: string };
