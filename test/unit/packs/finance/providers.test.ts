import { snapshotData, type MarketDataProvider, type NewsProvider, financeTools } from '../../../../packs/finance/src';
import { notFound } from '../../../../packs/finance/src/not-found';
import { call, context, TODAY, toolErrorOf } from '../../../support/packs/finance/support';
import type { DescriptionParts } from '../../../../src/tools/define/tool';

/** A provider as a user writes one. */
const market: MarketDataProvider = {
  async prices(ticker, signal) {
    signal?.throwIfAborted();
    if (ticker !== 'NVDA') throw notFound('no_quote_for_ticker', `No price of "${ticker}".`, 'Prices of: NVDA.');
    const rows = [
      { date: '2026-10-30', close: 180 },
      { date: TODAY, close: 200 },
    ];
    return { ticker, rows, adjusted: false, asOf: TODAY, note: null, source: 'house feed' };
  },
};
const news: NewsProvider = {
  about: 'headlines of the house wire.',
  async search({ query, days }) {
    const items = [{ title: `${query}: kettles recalled`, date: TODAY, url: 'https://wire.example/1' }];
    return { items, window: { from: '2026-11-01', to: TODAY }, note: `${days} days.`, source: 'house wire' };
  },
};
const data = { ...snapshotData(undefined, () => TODAY), market, news };
const use = (tool: string, input: object, ctx = context()) => call(tool, input, undefined, ctx, data);

describe("a market data provider of one's own", () => {
  it('answers quotes and histories, with its source and date', async () => {
    expect(await use('get_quote', { ticker: 'NVDA' })).toMatchObject({
      price: 200,
      as_of: TODAY,
      stale: false,
      source: 'house feed',
    });
    expect((await use('get_price_history', { ticker: 'NVDA', days: 60 })).series).toHaveLength(2);
    expect((await toolErrorOf(use('get_quote', { ticker: 'AAPL' }))).detail.reason).toBe('no_quote_for_ticker');
  });

  it('gives each day’s closes if it has them, and month ends if it has no more', async () => {
    const days = [
      { date: '2026-11-18', close: 197 },
      { date: '2026-11-19', close: 199 },
      { date: TODAY, close: 200 },
    ];
    const daily: MarketDataProvider = { prices: async (...asked) => ({ ...(await market.prices(...asked)), days }) };
    const history = (from: MarketDataProvider, back: number) =>
      call('get_price_history', { ticker: 'NVDA', days: back }, undefined, context(), { ...data, market: from });
    expect(await history(daily, 60)).toMatchObject({ interval: 'day', series: days, as_of: TODAY, source: 'house feed' });
    expect(await history(daily, 2)).toMatchObject({ interval: 'day', series: [days[2]] });
    expect(await history(market, 60)).toMatchObject({ interval: 'month_end', series: [{ close: 180 }, { close: 200 }] });
  });

  it('stands beside the figures of the filings in a ratio card', async () => {
    const card = await use('ratio_card', { ticker: 'NVDA' });
    expect(card.price).toMatchObject({ value: 200, as_of: TODAY });
    expect(card.source).toMatch(/EDGAR.*; price: house feed/);
  });

  it('is asked for each peer, and a peer without a price is no failure', async () => {
    const { data_here } = await use('peer_companies', { ticker: 'AAPL' });
    expect(data_here.NVDA).toEqual(['filings', 'facts', 'prices']);
    expect(data_here.MSFT).toEqual(['filings', 'facts']);
  });

  it('is told of the end of a call', async () => {
    const signal = AbortSignal.abort(new Error('cancelled'));
    await expect(use('get_quote', { ticker: 'NVDA' }, context({ signal }))).rejects.toThrow('cancelled');
  });
});

describe("a news provider of one's own", () => {
  it('answers search_news', async () => {
    expect(await use('search_news', { query: 'Tin', days: 20 })).toEqual({
      query: 'Tin',
      items: [{ title: 'Tin: kettles recalled', date: TODAY, url: 'https://wire.example/1' }],
      window: { from: '2026-11-01', to: TODAY },
      note: '20 days.',
      source: 'house wire',
    });
  });

  it('tells the model what it searches', () => {
    const mailer = { from: 'agent@example.com', send: () => Promise.reject(new Error('unused')) };
    const tool = financeTools({ ...data, mailer }).find(({ name }) => name === 'search_news')!;
    expect((tool.description as DescriptionParts).does).toBe('Searches recent company events: headlines of the house wire.');
  });
});
