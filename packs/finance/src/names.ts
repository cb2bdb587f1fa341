/**
 * Finds company names in a search text. Tells a whole name from a part of a longer name, which is another company's: Apple
 * Hospitality REIT is not Apple, T Rowe Price is not the company with ticker T. A word beside the name continues it if the word is
 * written like a name and belongs to no topic. A comma ends a name.
 */
import type { Company } from './data';
import { isCommonWord, NAME_FILLERS, wordsIn, wordsOf, type Word } from './news-query';

/** The position of a company's name or ticker in a text, in words. */
export interface Place {
  at: number;
  length: number;
  ticker: boolean;
}

/** Legal forms. Beside a name, they do not make it another company's name. */
const FORMS_OF_COMPANIES = new Set([...NAME_FILLERS, 'com', 'ltd', 'limited', 'plc', 'llc', 'lp', 'sa', 'nv', 'ag', 'se']);

/** In a lower-case query, these do not continue a name. */
const NOT_IN_NAMES = new Set(
  'buyback buybacks call conference deal deals deliveries dividend dividends forecast growth guidance income investor investors launch launches lawsuit lawsuits loss losses margin margins outlook partnership plans price prices product products profit profits recall recalls revenue revenues sales settlement share shares split than versus vs with'.split(
    ' ',
  ),
);

/**
 * @param own words of the company's name and its ticker, in lower case: beside the name they do not make it another name
 * @param isKnown whether another company's name is at a position: then there are two names, not one
 */
export function isPartOfName(words: Word[], place: Place, own: ReadonlySet<string>, isKnown: (at: number) => boolean): boolean {
  const end = place.at + place.length;
  const [first, last] = [words[place.at]!, words[end - 1]!];
  const goesOn = (at: number, name: Word) => {
    const word = words[at];
    return word !== undefined && !isKnown(at) && !own.has(word.lower) && isOfName(word, name, place.ticker);
  };
  return (first.isJoined && goesOn(place.at - 1, first)) || (words[end]?.isJoined === true && goesOn(end, last));
}

function isOfName(word: Word, name: Word, ticker: boolean): boolean {
  if (isCommonWord(word.lower) || FORMS_OF_COMPANIES.has(word.lower)) return false;
  if (ticker) return isCapital(word.text); // AAPL iPhone
  return hasCapital(word.text) || !(hasCapital(name.text) || NOT_IN_NAMES.has(word.lower));
}

export function isCapital(text: string | undefined): boolean {
  return text !== undefined && /^\p{Lu}/u.test(text);
}

function hasCapital(text: string): boolean {
  return /\p{Lu}/u.test(text);
}

export interface ParsedQuery {
  named: Company[];
  /** Companies whose name may be part of a longer name in the query. */
  unclear: Company[];
  /** The other words, as written. */
  words: string[];
}

/** Splits a query into the companies that it names, by ticker or by a whole name, and its other words. */
export function readQuery(query: string, companies: Company[]): ParsedQuery {
  const words = wordsIn(query);
  const matches = companies.map((company) => ({ company, places: placesOf(company, words) }));
  const knownPositions = new Set(matches.flatMap(({ places }) => places.flatMap(positionsOf)));
  const usedPositions = new Set<number>();
  const [named, unclear]: [Company[], Company[]] = [[], []];
  for (const { company, places } of matches) {
    const own = ownWords(company);
    // A ticker always counts: this list is short, and no ticker in it is a word.
    const whole = places.filter((place) => place.ticker || !isPartOfName(words, place, own, (at) => knownPositions.has(at)));
    for (const at of whole.flatMap(positionsOf)) usedPositions.add(at);
    if (whole.length > 0) named.push(company);
    else if (places.length > 0) unclear.push(company);
  }
  const others = words.filter(({ lower }, at) => !usedPositions.has(at) && !NAME_FILLERS.has(lower));
  return { named, unclear, words: others.map(({ text }) => text) };
}

/** A company's ticker, name and aliases as lower-case words. */
export function ownWords({ ticker, name, aliases }: Company): Set<string> {
  return new Set([ticker, name, ...aliases].flatMap((text) => wordsIn(text).map(({ lower }) => lower)));
}

export function positionsOf({ at, length }: Place): number[] {
  return Array.from({ length }, (_, index) => at + index);
}

function placesOf({ ticker, name, aliases }: Company, words: Word[]): Place[] {
  return [ticker, name, ...aliases].flatMap((text) => {
    const parts = wordsOf(text)
      .map((word) => word.toLowerCase())
      .filter((word) => !NAME_FILLERS.has(word));
    if (parts.length === 0) return [];
    const starts = [...words.keys()].filter((at) => parts.every((part, index) => words[at + index]?.lower === part));
    return starts.map((at) => ({ at, length: parts.length, ticker: text === ticker }));
  });
}
