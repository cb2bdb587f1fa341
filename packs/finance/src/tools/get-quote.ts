/** The tool `get_quote`: the newest price of a company. */
import { z } from 'zod';
import { defineTool } from 'holdfast/tools';
import type { MarketDataProvider } from '../data';
import { isoDate, ticker } from '../ticker-and-date-schemas';
import { lastQuote } from '../quote';
import { QUOTE } from './ttl';

/** `{ticker}` → the newest price that the source has, with its date. */
export function getQuote(market: MarketDataProvider, today: () => string) {
  return defineTool({
    name: 'get_quote',
    version: '1.0.0',
    class: 'read',
    cacheTtlMs: QUOTE,
    description: {
      does: 'Gives the newest price of one US-listed share that the data source has.',
      returns:
        'price in USD, as_of (the date of that price), stale (true when it is not a current price), adjusted (for later splits and dividends), a note in words, source.',
      useWhen: 'A question needs a market value, such as a valuation.',
      dontUseFor:
        'A series of past prices (get_price_history), or ratios such as P/E (ratio_card puts price and figures together with care).',
      example: '{"ticker": "MSFT"}',
      warning: 'When stale is true, never present the price as the current one: state its as_of date.',
    },
    errors: [{ code: 'RESOURCE_NOT_FOUND', reason: 'no_quote_for_ticker', when: 'The source has no prices of the company.' }],
    input: z.object({ ticker }),
    output: z.object({
      ticker,
      price: z.number().nonnegative(),
      currency: z.literal('USD'),
      as_of: isoDate,
      stale: z.boolean(),
      adjusted: z.boolean(),
      note: z.string(),
      source: z.string(),
    }),
    async run(input, ctx) {
      const series = await ctx.network(() => market.prices(input.ticker, ctx.signal));
      const { price, ...rest } = lastQuote(series, today());
      return { ticker: input.ticker, price, currency: 'USD' as const, ...rest, source: series.source };
    },
  });
}
