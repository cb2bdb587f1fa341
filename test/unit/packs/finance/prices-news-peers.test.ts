import { nearestPeers, type SizedCompany } from '../../../../packs/finance/src/peers';
import { call, toolErrorOf } from '../../../support/packs/finance/support';

describe('get_quote', () => {
  it('never passes off an old price as a current one', async () => {
    const quote = await call('get_quote', { ticker: 'AAPL' });
    expect(quote).toMatchObject({
      ticker: 'AAPL',
      price: 125.674,
      currency: 'USD',
      as_of: '2022-12-28',
      stale: true,
      adjusted: true,
    });
    expect(quote.note).toContain('2022-12-28');
    expect(quote.source).toContain('skfolio');
  });

  it('says under which name a share was traded at the time', async () => {
    const quote = await call('get_quote', { ticker: 'GOOGL' });
    expect(quote).toMatchObject({ as_of: '2013-03-01', adjusted: false, note: expect.stringContaining('GOOG until April 2014') });
  });

  it.each(['NVDA', 'TSLA', 'ZZZZ'])('says that it has no price of %s instead of inventing one', async (ticker) => {
    const { detail } = await toolErrorOf(call('get_quote', { ticker }));
    expect(detail).toMatchObject({
      code: 'RESOURCE_NOT_FOUND',
      reason: 'no_quote_for_ticker',
      hint: expect.stringContaining('MSFT'),
    });
  });
});

describe('get_price_history', () => {
  it('counts days back from the end of the data, and says so', async () => {
    const result = await call('get_price_history', { ticker: 'MSFT', days: 10 });
    expect(result).toMatchObject({ days: 10, interval: 'day', currency: 'USD', as_of: '2022-12-28' });
    const dates = ['2022-12-19', '2022-12-20', '2022-12-21', '2022-12-22', '2022-12-23', '2022-12-27', '2022-12-28'];
    expect(result.series.map((row: any) => row.date)).toEqual(dates); // each day on which the exchange was open
    expect(result.series.at(-1).close).toBe(233.434);
    expect(result.note).toContain('not from today');
  });

  it('has at least the last price for one day, and at most a year', async () => {
    expect((await call('get_price_history', { ticker: 'AAPL', days: 1 })).series).toHaveLength(1);
    expect((await call('get_price_history', { ticker: 'AAPL', days: 365 })).series).toHaveLength(252);
    for (const days of [0, 366, 1.5]) await expect(call('get_price_history', { ticker: 'AAPL', days })).rejects.toThrow('schema');
  });
});

describe('ratio_card beside a price', () => {
  it('says first from when the price is, and that it is older than the filing', async () => {
    const card = await call('ratio_card', { ticker: 'MSFT', fiscal_year: 2023 });
    expect(Object.keys(card)[0]).toBe('basis');
    expect(card.basis).toMatch(/use a price of 2022-12-28\. The price is OLDER than the filing, by \d+ days/);
    const none = await call('ratio_card', { ticker: 'AAPL' });
    expect(none).toMatchObject({ price: null, basis: expect.stringContaining('No pe and pb: price_too_old') });
  });
});

describe('search_news', () => {
  it('finds the same events by ticker and by name', async () => {
    const byTicker = await call('search_news', { query: 'AAPL', days: 60 });
    const byName = await call('search_news', { query: 'Apple', days: 60 });
    expect(byTicker.items).toEqual(byName.items);
    expect(byTicker.items.length).toBeGreaterThan(0);
    expect(byTicker.items[0]).toMatchObject({
      ticker: 'AAPL',
      form: '8-K',
      accession: '0001140361-26-006577',
      items: ['5.07', '9.01'],
    });
    expect(byTicker.items[0].title).toBe('Apple Inc.: Submission of Matters to a Vote of Security Holders');
  });

  it('searches the last week of the index by default, and names the window', async () => {
    const result = await call('search_news', { query: 'AAPL' });
    expect(result.window).toEqual({ from: '2026-02-19', to: '2026-02-26' });
    expect(result.items).toHaveLength(1);
    expect(result.note).toContain('not from today');
  });

  it('understands "earnings" as the results item of an 8-K', async () => {
    const { items } = await call('search_news', { query: 'Apple earnings', days: 90 });
    expect(items.length).toBeGreaterThan(0);
    for (const item of items) expect(item.items).toContain('2.02');
  });

  it('lists ten items at most, and none for a query that fits nothing', async () => {
    expect((await call('search_news', { query: 'exhibits', days: 90 })).items.length).toBeLessThanOrEqual(10);
    expect((await call('search_news', { query: 'bankruptcy', days: 90 })).items).toEqual([]);
  });

  it.each([
    ['Amazon earnings', 'Amazon'],
    ['AMZN', 'AMZN'],
    ['General Motors results', 'Motors'],
    ['zeppelin', 'zeppelin'],
    // Tickers and names that begin as words of the titles do, or are as short as words that say nothing.
    ['COST', 'COST'],
    ['DIS earnings', 'DIS'],
    ['dis earnings', 'dis'],
    ['MAT results', 'MAT'],
    ['GE earnings', 'GE'],
    ['gm results', 'gm'],
    ['F results', 'F'],
    ['3M earnings', '3M'],
    ['ALL earnings', 'ALL'],
    ['earnings of AN', 'AN'],
    ['Shell earnings', 'Shell'],
    ['results of K', 'K'],
    // Names that begin or end with the name of a company that is here.
    ['Apple Hospitality REIT', 'Apple, Hospitality, REIT'],
    ['apple hospitality dividend', 'apple, hospitality, dividend'],
    ['APPLE HOSPITALITY EARNINGS', 'APPLE, HOSPITALITY'],
    ['Apple iSports Group results', 'Apple, iSports, Group'],
    ['Tesla Exploration', 'Tesla, Exploration'],
    ['Golden Apple earnings', 'Golden, Apple'],
  ])('never answers %j with the events of others', async (query, unknown) => {
    const { detail } = await toolErrorOf(call('search_news', { query, days: 90 }));
    expect(detail).toMatchObject({ code: 'RESOURCE_NOT_FOUND', reason: 'no_company_named' });
    expect(detail.message).toContain(`Not known: ${unknown}.`);
  });

  it('says how to ask for a company whose name may be part of another name', async () => {
    const { detail } = await toolErrorOf(call('search_news', { query: 'Tesla Cybertruck recall', days: 90 }));
    expect(detail.hint).toContain('For Tesla, Inc. write its ticker and a comma: "TSLA, …".');
    expect((await call('search_news', { query: 'TSLA, Cybertruck recall', days: 90 })).source).toContain('TSLA');
  });

  it.each([
    ['Apple plans for Hospitality', 'Hospitality', 'Apple Inc. (AAPL)'],
    ['Microsoft invests in OpenAI', 'invests, OpenAI', 'Microsoft Corporation (MSFT)'],
  ])('says for which companies it searched if other words are in the query: %s', async (query, words, whom) => {
    const { note } = await call('search_news', { query, days: 90 });
    expect(note).toContain(`Searched for ${whom} only; not looked for: ${words}.`);
  });

  it.each([
    ['Apple, Microsoft and Nvidia', ['AAPL', 'MSFT', 'NVDA']],
    ['Apple Microsoft earnings', ['AAPL', 'MSFT']],
    ['Apple (AAPL) results', ['AAPL']],
    ["What are Tesla's Cybertruck filings?", ['TSLA']],
    ['Find Apple Inc. earnings', ['AAPL']],
    ['apple dividend', ['AAPL']],
    ['tesla vs ford', ['TSLA']],
    ['News on Google', ['GOOGL']],
  ])('knows the companies of %j', async (query, tickers) => {
    const { source } = await call('search_news', { query, days: 90 });
    expect([...source.matchAll(/\b([A-Z]{4,5}) \(/g)].map(([, ticker]) => ticker).sort()).toEqual(tickers);
  });

  it.each([
    'latest earnings',
    'Earnings of the last 90 days',
    'LATEST EARNINGS',
    'What 8-K filings are about a new CFO in 2026?',
    'officer resigns',
    'votes in Q1 2026',
    '2.02',
    'a result',
  ])('searches all companies for a topic: %s', async (query) => {
    const { items } = await call('search_news', { query, days: 90 });
    expect(items.length).toBeGreaterThan(0);
  });

  it('says that it has no 8-K of Alphabet rather than that nothing happened', async () => {
    expect(await call('search_news', { query: 'Google' })).toMatchObject({
      items: [],
      window: { from: null, to: null },
      note: expect.stringContaining('GOOGL'),
    });
  });
});

describe('peer_companies', () => {
  it.each(['AAPL', 'MSFT', 'NVDA', 'GOOGL', 'TSLA'])(
    'names three to five peers of %s among the companies at hand, says how they were computed, and what is known of each',
    async (ticker) => {
      const { peers, basis, data_here } = await call('peer_companies', { ticker });
      expect(peers.length).toBeGreaterThanOrEqual(3);
      expect(peers.length).toBeLessThanOrEqual(5);
      expect(peers).not.toContain(ticker);
      expect(Object.keys(data_here)).toEqual(peers);
      expect(basis).toContain('Computed from the companies at hand');
    },
  );

  it('has the same industry first, then the nearest revenue', () => {
    const company = (ticker: string, sic: string | null, revenue: number | null): SizedCompany => ({
      ...{ ticker, sic, revenue, name: ticker, aliases: [], cik: '', sicDescription: null },
    });
    const own = company('OWN', '3674', 100);
    const others = [
      company('FAR', '7372', 100),
      company('LARGE', '3674', 900),
      company('NEAR', '3674', 120),
      company('COUSIN', '3679', 100),
      company('UNKNOWN', null, null),
      company('SMALL', '3674', 1),
    ];
    const { peers, basis } = nearestPeers(own, [...others, own]);
    expect(peers).toEqual(['NEAR', 'LARGE', 'SMALL', 'COUSIN', 'FAR']);
    expect(basis).toContain('NEAR (4 digits of the SIC code, 1.20 × its revenue)');
    expect(basis).toContain('FAR (no SIC code in common, 1.00 × its revenue)');
  });

  it('says that it has no peers of an unknown company', async () => {
    expect((await toolErrorOf(call('peer_companies', { ticker: 'IBM' }))).detail).toMatchObject({ reason: 'no_peer_data' });
  });
});
