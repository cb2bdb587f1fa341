/**
 * Finds the sentence by which a short item incorporates its content by reference: from an exhibit (EX-13, EX-99), or from another
 * place in the document.
 */
import { type SectionPointer } from './section-types';

/** Characters. A longer item has its own content. */
const MAX_POINTER = 3_000;

const POINTS =
  /\b(?:incorporated|set forth|included|contained|presented|appears?|found|on pages?|refer(?:ence)?|see|listed|submitted|filed)\b/i;
/** Exhibit 13 is the annual report to security holders, 99 an exhibit without a number of its own (Regulation S-K, Item 601). */
const EXHIBIT = /\bexhibits?\s?\(?((?:13|99)(?:\.\d{1,2})?)(?!\d)/i;
const ANNUAL_REPORT = /\bannual report to (?:our |its |the )?(?:share|stock|security ?)holders?\b/i;

/** @returns the sentence that points to an exhibit, and the exhibit; null if there is none */
export function findExhibit(text: string): SectionPointer | null {
  const sentence = pointingSentences(text).find((one) => EXHIBIT.test(one) || ANNUAL_REPORT.test(one));
  return sentence ? { exhibit: EXHIBIT.exec(sentence)?.[1] ?? '13', sentence } : null;
}

/** @returns the sentence that says that the content is elsewhere; null if the item has no such sentence */
export function pointsElsewhere(text: string): string | null {
  return pointingSentences(text)[0] ?? null;
}

function pointingSentences(text: string): string[] {
  if (text.length > MAX_POINTER) return [];
  return text.split(/\n|(?<=[.!?]["”’)]?) (?=["“(]?[A-Z])/).filter((sentence) => POINTS.test(sentence));
}
