/** News without a news source: searches the 8-K filings by company and by the titles of their items (tools/search-news.ts). */
import type { FilingIndex, FilingsProvider, NamedCompanies, NewsAnswer, NewsProvider } from './data';
import { addDays } from './dates';
import { isTopic, newsItem, rank, type Event } from './news-query';
import { notFound } from './not-found';

const MOST = 10;

export class FilingEvents implements NewsProvider {
  readonly about =
    'the 8-K reports in which companies announce results, changes of officers, deals, votes and the like. No press articles, no rumours.';

  constructor(private readonly filings: FilingsProvider) {}

  /**
   * @throws ToolError RESOURCE_NOT_FOUND `no_company_named` if no company is named and the source does not search all of its
   *   companies
   */
  async search({ query, days }: { query: string; days: number }, signal?: AbortSignal): Promise<NewsAnswer> {
    const who = await this.filings.companiesNamedIn(query, signal);
    if (who.searched.length === 0) {
      const unknown = who.words.filter((word) => !isTopic(word));
      const which = unknown.length === 0 ? '' : ` Not known: ${unknown.slice(0, 5).join(', ')}.`;
      const hints = (who.unclear ?? []).map(({ name, ticker }) => `For ${name} write its ticker and a comma: "${ticker}, …". `);
      const hint = `${hints.join('')}Name one in the query by its ticker in capitals or by its whole name, e.g. "AAPL earnings".`;
      throw notFound('no_company_named', `${JSON.stringify(query)} names no company that the index lists.${which}`, hint);
    }
    const indexes = await Promise.all(
      who.searched.map(async (company) => {
        const index = await this.filings.filings(company.ticker, { form: '8-K', enough: MOST }, signal);
        return { company, index };
      }),
    );
    const to = newest(indexes.map(({ index }) => index));
    const from = to && addDays(to, -days);
    const events = indexes.flatMap(({ company, index }) => index.filings.map((filing): Event => ({ company, filing })));
    const inWindow = from && to ? events.filter(({ filing }) => filing.date >= from && filing.date <= to) : [];
    const none = indexes.filter(({ index }) => index.eventsAsOf === null).map(({ company }) => company.ticker);
    const partly = indexes.filter(({ index }) => from && index.since && index.since > from);
    return {
      items: rank(inWindow, who).slice(0, MOST).map(newsItem),
      window: { from, to },
      note: [
        to
          ? `The last ${days} days of the index, counted back from ${to}, not from today.`
          : 'The index has no 8-K of these companies.',
        ...(none.length > 0 ? [`No 8-K in the index for: ${none.join(', ')}.`] : []),
        ...searchedCompaniesNote(who),
        ...partly.map(({ company, index }) => `The index of ${company.ticker} was read back to ${index.since} only.`),
      ].join(' '),
      source: `EDGAR filing index (8-K): ${indexes.map(({ company, index }) => `${company.ticker} (${index.source})`).join(', ')}`,
    };
  }
}

/** Names who was searched, and the words that were not: beside a name, a word may mean another company. */
function searchedCompaniesNote({ named, words }: NamedCompanies): string[] {
  const unknown = words.filter((word) => !isTopic(word));
  if (named.length === 0 || unknown.length === 0) return [];
  const names = named.map(({ ticker, name }) => `${name} (${ticker})`).join(', ');
  return [`Searched for ${names} only; not looked for: ${unknown.slice(0, 5).join(', ')}.`];
}

function newest(indexes: FilingIndex[]): string | null {
  return (
    indexes
      .map((index) => index.eventsAsOf ?? '')
      .sort()
      .at(-1) || null
  );
}
