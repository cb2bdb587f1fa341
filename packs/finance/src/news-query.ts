/**
 * Splits a news query into words, tells topic words from possible tickers and company names, and ranks 8-K filings by the titles of
 * their items. Common words of the press are replaced by the words of these titles. `filing-events.ts` runs the search.
 */
import { getOwn } from 'holdfast/tools';
import type { Company, Filing } from './data';
import { eventTitle, itemTitle, TITLE_WORDS } from './eight-k-items';

export interface Event {
  company: Company;
  filing: Filing;
}

/** A word of the press → the word in the SEC's titles. */
const SYNONYMS: Record<string, string> = {
  earnings: 'results',
  ceo: 'officers',
  cfo: 'officers',
  executive: 'officers',
  appoints: 'appointment',
  resigns: 'departure',
  vote: 'vote',
  votes: 'vote',
  meeting: 'vote',
  acquisition: 'acquisition',
  acquisitions: 'acquisition',
  merger: 'acquisition',
  mergers: 'acquisition',
  debt: 'obligation',
  notes: 'obligation',
  layoffs: 'exit',
  hack: 'cybersecurity',
  breach: 'cybersecurity',
};
/** Words that people write around a topic. A word that is not listed may be a name, even a short one: ge, 3m. */
const QUERY_FILLERS = new Set(
  'a about after all an and announced announcement announcements any are as at before between by companies days did during event events filing filings find for from general give had happened has have how i in is it its last lately latest me month months new news no of on or over please quarter quarterly recent recently report reported reports search show since stock tell that their there this to today update updates us was week weeks were what when which who why will with year years'.split(
    ' ',
  ),
);
/** Words of titles that are also the whole name of a company. */
const TITLE_WORDS_THAT_ARE_NAMES = new Set(['shell']);
/** A word with this many letters may be the beginning of a title's word; a ticker has five at most. */
const MIN_PREFIX = 6;
/** Shorter words (of, at, in) do not identify a topic. */
const SHORTEST_WORD = 3;
export const NAME_FILLERS = new Set(['inc', 'corp', 'corporation', 'company', 'the', 'co']);

/** Names of forms and abbreviations whose letters are also tickers (8-K, S-1, M&A), and the possessive. */
const FORMS = /(?<![\p{L}\p{N}])(?:6-K|8-K|10-K|10-Q|20-F|40-F|S-1)(?:\/A|s)?(?![\p{L}\p{N}])/giu;
const MERGERS = /(?<![\p{L}\p{N}&])M&A(?![\p{L}\p{N}&])/gu;
const POSSESSIVE = /(?<=[\p{L}\p{N}])['’]s(?![\p{L}\p{N}])/giu;

export interface Word {
  /** As written. */
  text: string;
  lower: string;
  /** Only a space, a hyphen or an ampersand stands between it and the word before. */
  isJoined: boolean;
}

/**
 * A stop after a word with at least this many letters may end a sentence; after a shorter word it belongs to an abbreviation (T.
 * Rowe).
 */
const MIN_SENTENCE_END = 4;

/** The words of a text, without names of forms. */
export function wordsIn(text: string): Word[] {
  const plain = text.replace(FORMS, ' ').replace(MERGERS, ' merger ').replace(POSSESSIVE, ';');
  const words: Word[] = [];
  let end = 0;
  for (const { 0: raw, index } of plain.matchAll(/[\p{L}\p{N}.]+/gu)) {
    const word = raw.replace(/^\.+|\.+$/g, '');
    const isJoined = words.length > 0 && /^[\s&-]*$/.test(plain.slice(end, index));
    if (word !== '') words.push({ text: word, lower: word.toLowerCase(), isJoined });
    end = index + raw.length - (raw.endsWith('.') && word.length >= MIN_SENTENCE_END ? 1 : 0);
  }
  return words;
}

/** The words of a text, as written. */
export function wordsOf(text: string): string[] {
  return wordsIn(text).map((word) => word.text);
}

const lower = (word: string) => word.toLowerCase();

/**
 * Whether a word, as written, belongs to a topic that can be searched, or to the words that people write around one; if not, it may
 * be a name. A word in capitals counts as a ticker, unless it is a press word for a topic (CEO).
 */
export function isTopic(text: string): boolean {
  const word = lower(text);
  if (getOwn(SYNONYMS, word) !== undefined) return true;
  return !mayBeTicker(text) && isCommonWord(word);
}

export function mayBeTicker(text: string): boolean {
  return /^[A-Z]{1,5}$/.test(text);
}

/** Whether a word in lower case has a meaning in a query other than as a name. */
export function isCommonWord(word: string): boolean {
  if (TITLE_WORDS_THAT_ARE_NAMES.has(word)) return false;
  if (QUERY_FILLERS.has(word) || getOwn(SYNONYMS, word) !== undefined || isNumber(word)) return true;
  return TITLE_WORDS.some((title) => title === word || (word.length >= MIN_PREFIX && title.startsWith(word)));
}

/** A number, an item code, a quarter, a half-year or a fiscal year. */
function isNumber(word: string): boolean {
  return /^(\d+(\.\d+)*(st|nd|rd|th)?|q[1-4]|h[12]|fy\d{2,4})$/.test(word);
}

/**
 * Sorts events: those with more words of the query in the item titles or codes first, then newer ones. Drops events without a
 * match, except if a company is named and no event matches.
 */
export function rank(events: Event[], query: { named: Company[]; words: string[] }): Event[] {
  const needles = query.words
    .map(lower)
    .map((word) => getOwn(SYNONYMS, word) ?? word)
    .filter((word) => word.length >= SHORTEST_WORD);
  const score = ({ filing }: Event) => {
    const itemWords = filing.items.flatMap((item) => [item, ...wordsOf(itemTitle(item)).map(lower)]);
    return needles.filter((needle) => itemWords.some((word) => word.startsWith(needle))).length;
  };
  const scores = events.map((event) => ({ event, score: score(event) }));
  const any = scores.some((entry) => entry.score > 0);
  const fit = scores.filter((entry) => entry.score > 0 || (query.named.length > 0 && !any));
  return fit
    .sort((a, b) => b.score - a.score || (a.event.filing.date < b.event.filing.date ? 1 : -1))
    .map((entry) => entry.event);
}

/** The item as search_news lists it. */
export function newsItem({ company, filing }: Event) {
  const title = `${company.name}: ${eventTitle(filing.items)}`;
  return {
    title,
    date: filing.date,
    ticker: company.ticker,
    form: filing.form,
    items: filing.items,
    accession: filing.accession,
  };
}
