import { z } from 'zod';
import { defineTool } from '../../../tools/define';
import type { Filing, FinanceData } from '../data';
import { eventTitle } from '../eight-k-items';
import { ticker } from '../inputs';
import { DAY } from './ttl';

/** `{ticker, form?, limit}` → `{ticker, filings, total, source}`, newest first; `total` counts what matches, before the limit. */
export function searchFilings(data: FinanceData) {
  return defineTool({
    name: 'search_filings',
    version: '1.0.0',
    class: 'read',
    cacheTtlMs: DAY,
    description: {
      does: 'Lists the filings that one US-listed company has made with the SEC, newest first.',
      returns:
        'ticker; filings, each with form, filing date, accession number, end of the reported period, 8-K item codes and a short description; total that match; source. An empty list means that the index has none of that form.',
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
    async run(input) {
      const index = await data.filings(input.ticker, input.form);
      return {
        ticker: input.ticker,
        ...(input.form ? { form: input.form } : {}),
        filings: index.filings.slice(0, input.limit).map(listed),
        total: index.filings.length,
        source: `${index.source}; index as of ${index.asOf}`,
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
