/**
 * 8-K filings as news, searched by company and by the titles of their items. A word of
 * the query is a company (ticker or name), or has to be in a title; common words of the press are
 * turned into the words that the titles use.
 */
import { getOwn } from '../../shared/json';
import type { Company, Filing } from './data';
import { eventTitle, itemTitle } from './eight-k-items';

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
/** Shorter ones (of, at, in) say nothing about a topic. */
const SHORTEST_WORD = 3;
export const NAME_FILLERS = new Set(['inc', 'corp', 'corporation', 'company', 'the', 'co']);

export const wordsOf = (text: string) => text.toLowerCase().match(/[\p{L}\p{N}.]+/gu) ?? [];
export const bare = (word: string) => word.replace(/^\.+|\.+$/g, '');

/** Splits a query into the companies that it names and its other words. */
export function readQuery(query: string, companies: Company[]): { named: Company[]; words: string[] } {
  const words = wordsOf(query)
    .map(bare)
    .filter((word) => word !== '');
  const namesOf = (company: Company) =>
    new Set(
      [company.ticker, company.name, ...company.aliases]
        .flatMap(wordsOf)
        .map(bare)
        .filter((word) => !NAME_FILLERS.has(word)),
    );
  const named = companies.filter((company) => words.some((word) => namesOf(company).has(word)));
  const naming = new Set(companies.flatMap((company) => [...namesOf(company)]));
  return { named, words: words.filter((word) => !naming.has(word) && !NAME_FILLERS.has(word)) };
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
