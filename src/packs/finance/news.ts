/**
 * 8-K filings as news, searched by company and by the titles of their items. A word of
 * the query is a company (ticker or name), or has to be in a title; common words of the press are
 * turned into the words that the titles use.
 */
import { getOwn } from '../../shared/json';
import type { Company, Filing } from './data';
import { eventTitle, itemTitle, TITLE_WORDS } from './eight-k-items';

export interface Event {
  company: Company;
  filing: Filing;
}

/** What the press calls it → what the SEC's titles say. */
const SYNONYMS: Record<string, string> = {
  earnings: 'results',
  ceo: 'officers',
  cfo: 'officers',
  executive: 'officers',
  appoints: 'appointment',
  resigns: 'departure',
  vote: 'vote',
  meeting: 'vote',
  acquisition: 'acquisition',
  merger: 'acquisition',
  debt: 'obligation',
  notes: 'obligation',
  layoffs: 'exit',
  hack: 'cybersecurity',
  breach: 'cybersecurity',
};
/** What people write around a topic. */
const AROUND = new Set(
  'about after all and announced announcement announcements any before between companies days during event events filing filings for from general happened its last lately latest month months new news over quarter quarterly recent recently report reported reports since stock that their this today update updates was week weeks what when which who why with year years'.split(
    ' ',
  ),
);
/** Shorter ones (of, at, in) say nothing about a topic. */
const SHORTEST_WORD = 3;
export const NAME_FILLERS = new Set(['inc', 'corp', 'corporation', 'company', 'the', 'co']);

export const wordsOf = (text: string) => text.toLowerCase().match(/[\p{L}\p{N}.]+/gu) ?? [];
export const bare = (word: string) => word.replace(/^\.+|\.+$/g, '');

/** Splits a query into the companies that it names, by ticker or by a whole name, and its other words. */
export function readQuery(query: string, companies: Company[]): { named: Company[]; words: string[] } {
  const words = wordsOf(query).map(bare);
  const used = new Set<number>();
  const named = companies.filter((company) => {
    const places = namesOf(company).flatMap((name) => placesOf(name, words));
    for (const place of places.flat()) used.add(place);
    return places.length > 0;
  });
  return { named, words: words.filter((word, at) => word !== '' && !used.has(at) && !NAME_FILLERS.has(word)) };
}

function namesOf({ ticker, name, aliases }: Company): string[][] {
  const names = [ticker, name, ...aliases].map((text) => wordsOf(text).map(bare));
  return names.map((words) => words.filter((word) => !NAME_FILLERS.has(word))).filter((words) => words.length > 0);
}

/** Where a name stands in a text: the positions of its words, for each place. */
function placesOf(name: string[], words: string[]): number[][] {
  return words.flatMap((_word, at) => (name.every((part, i) => words[at + i] === part) ? [name.map((_part, i) => at + i)] : []));
}

/** Whether a word is of a topic that can be searched, or one that people write around it; if not, it may be a name. */
export function isTopic(word: string): boolean {
  const short = word.length < SHORTEST_WORD || /^\d/.test(word);
  return short || AROUND.has(word) || getOwn(SYNONYMS, word) !== undefined || TITLE_WORDS.some((title) => title.startsWith(word));
}

/**
 * Best first: more words of the query in the item titles or codes, then newer. Without a named
 * company at least one word has to be found; with one, all of its events count.
 */
export function rank(events: Event[], query: { named: Company[]; words: string[] }): Event[] {
  const needles = query.words.map((word) => getOwn(SYNONYMS, word) ?? word).filter((word) => word.length >= SHORTEST_WORD);
  const score = ({ filing }: Event) => {
    const said = filing.items.flatMap((item) => [item, ...wordsOf(itemTitle(item))]);
    return needles.filter((needle) => said.some((word) => word.startsWith(needle))).length;
  };
  const scored = events.map((event) => ({ event, score: score(event) }));
  const any = scored.some((entry) => entry.score > 0);
  const fit = scored.filter((entry) => entry.score > 0 || (query.named.length > 0 && !any));
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
