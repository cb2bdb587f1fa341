/** The tool `search_filings`: lists the filings of a company. */
import { z } from 'zod';
import { defineTool } from 'holdfast/tools';
import type { Filing, FilingsProvider } from '../data';
import { eventTitle } from '../eight-k-items';
import { isoDate, ticker } from '../ticker-and-date-schemas';
import { DAY } from './ttl';

const filing = z.object({
  form: z.string(),
  date: isoDate,
  accession: z.string(),
  period: z.string(),
  items: z.array(z.string()).optional(),
  description: z.string(),
});

/** `{ticker, form?, limit}` → `{ticker, filings, total, source}`, newest first; `total` counts what matches, before the limit. */
export function searchFilings(provider: FilingsProvider) {
  return defineTool({
    name: 'search_filings',
    version: '1.0.0',
    class: 'read',
    cacheTtlMs: DAY,
    description: {
      does: 'Lists the filings that one US-listed company has made with the SEC, newest first.',
      returns:
        'ticker; filings, each with form, filing date, accession number, end of the reported period, 8-K item codes and a short description; total that match in the part of the index that was read; source. An empty list means that the index has none of that form.',
      useWhen:
        'You need to know which reports exist, or the exact filing date that fetch_filing_section asks for. Usually the first call about a company.',
      dontUseFor:
        'The contents of a report (fetch_filing_section), news about a topic (search_news), or companies outside the US.',
      example: '{"ticker": "AAPL", "form": "10-K", "limit": 3}',
    },
    errors: [
      {
        code: 'RESOURCE_NOT_FOUND',
        reason: 'ticker_not_found',
        when: 'The source lacks the company: take a ticker that the hint names, or ask the user.',
      },
      {
        code: 'RATE_LIMITED',
        reason: 'edgar_rate_limited',
        when: 'Live EDGAR only; it is retried after the wait that was asked for.',
      },
    ],
    output: z.object({
      ticker,
      form: z.string().optional(),
      filings: z.array(filing),
      total: z.number().int(),
      source: z.string(),
    }),
    input: z.object({
      ticker,
      form: z
        .enum(['10-K', '10-Q', '8-K', 'S-1'])
        .optional()
        .describe('Annual, quarterly, event report or registration; leave out for all'),
      limit: z.number().int().min(1).max(20).default(10).describe('Filings to list, newest first'),
    }),
    async run(input, ctx) {
      const { ticker, form, limit } = input;
      const query = { ...(form ? { form } : {}), enough: limit };
      const index = await ctx.network(() => provider.filings(ticker, query, ctx.signal));
      const since = index.since ? `, read back to ${index.since}` : '';
      return {
        ticker,
        ...(form ? { form } : {}),
        filings: index.filings.slice(0, limit).map(toListEntry),
        total: index.filings.length,
        source: `${index.source}; index as of ${index.asOf}${since}`,
      };
    },
  });
}

function toListEntry({ form, date, accession, period, items }: Filing) {
  const description = {
    '10-K': 'Annual report',
    '10-Q': 'Quarterly report',
    'S-1': 'Registration statement',
    '8-K': eventTitle(items),
  }[form];
  return { form, date, accession, period, ...(items.length > 0 ? { items } : {}), description };
}
