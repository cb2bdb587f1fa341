/** The tool `search_news`: searches recent events of companies. */
import { z } from 'zod';
import { defineTool } from 'holdfast/tools';
import type { NewsProvider } from '../data';
import { isoDate } from '../ticker-and-date-schemas';
import { NEWS } from './ttl';

const newsItem = z.object({
  title: z.string(),
  date: isoDate,
  ticker: z.string().optional(),
  url: z.string().optional(),
  form: z.string().optional(),
  items: z.array(z.string()).optional(),
  accession: z.string().optional(),
});

/** `{query, days}` → at most ten events, best first, and the window that was searched. */
export function searchNews(news: NewsProvider) {
  return defineTool({
    name: 'search_news',
    version: '1.0.0',
    class: 'read',
    cacheTtlMs: NEWS,
    description: {
      does: `Searches recent company events: ${news.about}`,
      returns:
        'At most ten items with title and date, of a filing also ticker, form, item codes and accession number; window {from, to} that was searched; a note; source.',
      useWhen: 'You want to know what happened lately at a company ("AAPL", "Apple earnings") or of a kind ("acquisition").',
      dontUseFor: 'Figures (fetch_filing_section), or what is not searched here. Cross-check facts with the filings.',
      example: '{"query": "Apple earnings", "days": 60}',
      warning: 'The window counts back from the date up to which the index is complete, not from today; state its dates.',
    },
    errors: [
      {
        code: 'RESOURCE_NOT_FOUND',
        reason: 'no_company_named',
        when: 'No known company is named in the query: name one by its ticker.',
      },
      {
        code: 'RATE_LIMITED',
        reason: 'edgar_rate_limited',
        when: 'Live EDGAR only; it is retried after the wait that was asked for.',
      },
    ],
    input: z.object({
      query: z.string().min(2).max(200).describe('Company (ticker or name) and/or topic'),
      days: z.number().int().min(1).max(90).default(7).describe('Days to look back from the end of the index'),
    }),
    output: z.object({
      query: z.string(),
      items: z.array(newsItem).max(10),
      window: z.object({ from: isoDate.nullable(), to: isoDate.nullable() }),
      note: z.string(),
      source: z.string(),
    }),
    untrustedOutput: true,
    async run(input, ctx) {
      const { items, window, note, source } = await ctx.network(() => news.search(input, ctx.signal));
      return { query: input.query, items, window, note, source };
    },
  });
}
