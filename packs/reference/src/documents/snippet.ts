/** Chooses the part of a text that shows most of the search terms. */
import { indexed, UNSPACED } from 'holdfast/tools';

const LENGTH = 240;
/** Places that are considered; a word may occur in a text a hundred thousand times. */
const MOST_PLACES = 200;
/** Characters from the start that are searched for the terms. */
const SEARCHED_CHARS = 300_000;
const WORD = /[\p{L}\p{M}\p{N}]+/gu;

/** @param terms as the index stores them */
export function snippet(text: string, terms: readonly string[]): string {
  const places = [
    ...findWords(text.slice(0, SEARCHED_CHARS), new Set(terms)),
    ...findUnspacedTerms(text.slice(0, SEARCHED_CHARS), terms),
  ];
  return cut(text, wordStart(text, Math.max(0, bestStart(places) - 60)));
}

interface Place {
  at: number;
  term: string;
}

function findWords(text: string, terms: ReadonlySet<string>): Place[] {
  const places: Place[] = [];
  for (const match of text.matchAll(WORD)) {
    const term = indexed(match[0]);
    if (term !== null && terms.has(term)) places.push({ at: match.index, term });
    if (places.length >= MOST_PLACES) break;
  }
  return places;
}

/** Terms of scripts without spaces, which occur inside a run of letters. */
function findUnspacedTerms(text: string, terms: readonly string[]): Place[] {
  return terms
    .filter((term) => UNSPACED.test(term))
    .map((term) => ({ at: text.indexOf(term), term }))
    .filter(({ at }) => at >= 0);
}

/** Start of the first window that shows the most different terms. */
function bestStart(places: readonly Place[]): number {
  let best = { at: 0, terms: 0 };
  for (const { at } of places) {
    const inside = places.filter((other) => other.at >= at && other.at < at + LENGTH - 60);
    const terms = new Set(inside.map(({ term }) => term)).size;
    if (terms > best.terms) best = { at, terms };
  }
  return best.at;
}

function wordStart(text: string, at: number): number {
  if (at === 0) return 0;
  const space = text.slice(at, at + 40).search(/\s/);
  return space < 0 ? at : at + space + 1;
}

function cut(text: string, start: number): string {
  const window = text.slice(start, start + LENGTH).toWellFormed();
  const words = window.replace(/\s+/g, ' ').trim();
  return `${start > 0 ? '… ' : ''}${words}${start + LENGTH < text.length ? ' …' : ''}`;
}
