/** The tool `get_price_history`: closing prices over a number of days. */
import { z } from 'zod';
import { defineTool } from 'holdfast/tools';
import type { MarketDataProvider } from '../data';
import { addDays } from '../dates';
import { isoDate, ticker } from '../ticker-and-date-schemas';
import { basisNote } from '../quote';
import { HOUR } from './ttl';

/** `{ticker, days}` → closes of the last `days` days of the data, oldest first: daily if the source has them, else month ends. */
export function getPriceHistory(market: MarketDataProvider) {
  return defineTool({
    name: 'get_price_history',
    version: '1.1.0',
    class: 'read',
    cacheTtlMs: HOUR,
    maxInlineBytes: 16_384,
    description: {
      does: 'Gives past closing prices of one US-listed share, of each trading day or, where the source has no more, of each month end, up to a year.',
      returns:
        'series of {date, close} in USD, oldest first; interval, day or month_end; as_of, the date of the last one; adjusted; a note; source.',
      useWhen: 'You need a trend or a return over weeks or months; feed the closes to stats_summary for their spread.',
      dontUseFor: 'A single newest price (get_quote), prices within a day, or more than a year.',
      example: '{"ticker": "AAPL", "days": 180}',
      warning:
        'The days count back from as_of, the end of the data, which can lie well before today: state it with every figure.',
    },
    errors: [{ code: 'RESOURCE_NOT_FOUND', reason: 'no_quote_for_ticker', when: 'The source has no prices of the company.' }],
    input: z.object({ ticker, days: z.number().int().min(1).max(365).describe('Days to look back from the end of the data') }),
    output: z.object({
      ticker,
      days: z.number().int(),
      interval: z.enum(['day', 'month_end']),
      series: z.array(z.object({ date: isoDate, close: z.number().nonnegative() })),
      currency: z.literal('USD'),
      adjusted: z.boolean(),
      as_of: isoDate,
      note: z.string(),
      source: z.string(),
    }),
    async run({ ticker, days }, ctx) {
      const series = await ctx.network(() => market.prices(ticker, ctx.signal));
      const from = addDays(series.asOf, -days);
      return {
        ticker,
        days,
        interval: series.days ? ('day' as const) : ('month_end' as const),
        series: (series.days ?? series.rows).filter((row) => row.date > from),
        currency: 'USD' as const,
        adjusted: series.adjusted,
        as_of: series.asOf,
        note: `The last ${days} days of the data, counted back from ${series.asOf}, not from today. ${basisNote(series)}`,
        source: series.source,
      };
    },
  });
}
