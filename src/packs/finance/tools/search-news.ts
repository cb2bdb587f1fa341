import { z } from 'zod';
import { defineTool } from '../../../tools/define';
import type { FinanceData } from '../data';
import { addDays } from '../dates';
import { newsItem, rank, readQuery, type Event } from '../news';
import { NEWS } from './ttl';

const MOST = 10;

/** `{query, days}` → at most ten events out of 8-K filings, best first, and the window that was searched. */
export function searchNews(data: FinanceData) {
  return defineTool({
    name: 'search_news',
    version: '1.0.0',
    class: 'read',
    cacheTtlMs: NEWS,
    description: {
      does: 'Searches recent company events: the 8-K reports in which companies announce results, changes of officers, deals, votes and the like.',
      returns:
        'At most ten items with title, date, ticker, form, item codes and accession number; window {from, to} that was searched; a note; source.',
      useWhen: 'You want to know what happened lately at a company ("AAPL", "Apple earnings") or of a kind ("acquisition").',
      dontUseFor:
        'Press articles or rumours (there are none here), or figures (fetch_filing_section). Cross-check facts with the filings.',
      example: '{"query": "Apple earnings", "days": 60}',
      warning: 'The window counts back from the date up to which the index is complete, not from today; state its dates.',
    },
    input: z.object({
      query: z.string().min(2).max(200).describe('Company (ticker or name) and/or topic'),
      days: z.number().int().min(1).max(90).default(7).describe('Days to look back from the end of the index'),
    }),
    async run(input) {
      const companies = await data.companies();
      const query = readQuery(input.query, companies);
      const searched = query.named.length > 0 ? query.named : companies;
      const indexes = await Promise.all(
        searched.map(async (company) => ({ company, index: await data.filings(company.ticker, '8-K') })),
      );
      const to =
        indexes
          .map(({ index }) => index.eventsAsOf ?? '')
          .sort()
          .at(-1) || null;
      const from = to && addDays(to, -input.days);
      const events = indexes.flatMap(({ company, index }) => index.filings.map((filing): Event => ({ company, filing })));
      const inWindow = from && to ? events.filter(({ filing }) => filing.date >= from && filing.date <= to) : [];
      const none = indexes.filter(({ index }) => index.eventsAsOf === null).map(({ company }) => company.ticker);
      return {
        query: input.query,
        items: rank(inWindow, query).slice(0, MOST).map(newsItem),
        window: { from, to },
        note: noteOn(input.days, to, none),
        source: `EDGAR filing index (8-K): ${searched.map((company) => company.ticker).join(', ')}`,
      };
    },
  });
}

function noteOn(days: number, to: string | null, none: string[]): string {
  const window = to
    ? `The last ${days} days of the index, counted back from ${to}, not from today.`
    : 'The index has no 8-K of these companies.';
  return none.length > 0 ? `${window} No 8-K in the index for: ${none.join(', ')}.` : window;
}
