import { z } from 'zod';
import { defineTool } from '../../../tools/define';
import type { Filing, FilingsProvider } from '../data';
import { eventTitle } from '../eight-k-items';
import { ticker } from '../inputs';
import { DAY } from './ttl';

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
    input: z.object({
      ticker,
      form: z
        .enum(['10-K', '10-Q', '8-K', 'S-1'])
        .optional()
        .describe('Annual, quarterly, event report or registration; leave out for all'),
      limit: z.number().int().min(1).max(20).default(10),
    }),
    async run(input, ctx) {
      const { ticker, form, limit } = input;
      const index = await provider.filings(ticker, { ...(form ? { form } : {}), enough: limit }, ctx.signal);
      const since = index.since ? `, read back to ${index.since}` : '';
      return {
        ticker,
        ...(form ? { form } : {}),
        filings: index.filings.slice(0, limit).map(listed),
        total: index.filings.length,
        source: `${index.source}; index as of ${index.asOf}${since}`,
      };
    },
  });
}

function listed({ form, date, accession, period, items }: Filing) {
  const description = {
    '10-K': 'Annual report',
    '10-Q': 'Quarterly report',
    'S-1': 'Registration statement',
    '8-K': eventTitle(items),
  }[form];
  return { form, date, accession, period, ...(items.length > 0 ? { items } : {}), description };
}
