import { call, toolErrorOf } from '../../../support/packs/finance/support';

describe('search_filings', () => {
  it('lists real filings, newest first, with accession numbers and periods', async () => {
    const result = await call('search_filings', { ticker: 'AAPL', form: '10-K', limit: 2 });
    expect(result).toMatchObject({ ticker: 'AAPL', form: '10-K', source: expect.stringContaining('EDGAR') });
    expect(result.filings).toEqual([
      { form: '10-K', date: '2025-10-31', accession: '0000320193-25-000079', period: '2025-09-27', description: 'Annual report' },
      { form: '10-K', date: '2024-11-01', accession: '0000320193-24-000123', period: '2024-09-28', description: 'Annual report' },
    ]);
    expect(result.total).toBeGreaterThan(2);
  });

  it('gives ten filings by default, and the item codes of an 8-K', async () => {
    const all = await call('search_filings', { ticker: 'NVDA' });
    expect(all.filings).toHaveLength(10);
    expect(all).not.toHaveProperty('form');
    const events = await call('search_filings', { ticker: 'AAPL', form: '8-K' });
    expect(events.filings[0]).toMatchObject({ accession: '0001140361-26-006577', items: ['5.07', '9.01'] });
  });

  it('derives the reports of Alphabet from its facts, and says so', async () => {
    const result = await call('search_filings', { ticker: 'GOOGL', form: '10-K', limit: 1 });
    expect(result.filings[0]).toMatchObject({ accession: '0001652044-26-000018', date: '2026-02-05', period: '2025-12-31' });
    expect(result.source).toContain('from accession numbers');
  });

  it('answers an empty list for a form that a company never filed in the index', async () => {
    expect(await call('search_filings', { ticker: 'AAPL', form: 'S-1' })).toMatchObject({ filings: [], total: 0 });
  });

  it('names the tickers that exist when one does not', async () => {
    const error = await toolErrorOf(call('search_filings', { ticker: 'ZZZZ' }));
    expect(error.detail).toMatchObject({
      code: 'RESOURCE_NOT_FOUND',
      reason: 'ticker_not_found',
      hint: expect.stringContaining('AAPL'),
    });
  });

  it.each([
    { ticker: 'aapl' },
    { ticker: 'TOOLONG' },
    { ticker: '../etc' },
    { ticker: 'AAPL', form: '10K' },
    { ticker: 'AAPL', limit: 21 },
    { ticker: 'AAPL', extra: 1 },
  ])('refuses the input %j by its schema', async (input) => {
    await expect(call('search_filings', input)).rejects.toThrow('schema');
  });
});

describe('fetch_filing_section', () => {
  const annual = { ticker: 'AAPL', form: '10-K', date: '2022-10-28' };

  it('renders the statements as filed, and says that it is not the filed text', async () => {
    const result = await call('fetch_filing_section', { ...annual, section: 'Financials' });
    expect(result.accession).toBe('0000320193-22-000108');
    expect(result.rendered_from).toContain('not the filed text');
    expect(result.text).toMatch(/Revenue +394,328 +365,817/);
    expect(result.text).toMatch(/Net income +99,803 +94,680/);
    expect(result.text).toMatch(/EPS, diluted +6\.11 +5\.61/);
    expect(result.text).toMatch(/Total assets +352,755 +351,002/);
  });

  it('renders the MD&A as a comparison with the period before', async () => {
    const { text } = await call('fetch_filing_section', { ...annual, section: 'MD&A' });
    expect(text).toContain('Revenue: 394,328 against 365,817 (+7.8 %)');
    expect(text).toContain('Gross profit: 43.3 against 41.8');
  });

  it('compares a quarter with the same quarter a year before', async () => {
    const { text } = await call('fetch_filing_section', { ticker: 'AAPL', form: '10-Q', date: '2025-08-01', section: 'MD&A' });
    expect(text).toMatch(/Net income: 23,434 against 21,448/);
  });

  it('has pages of at most 4 KB, which together are the whole section', async () => {
    const pages: string[] = [];
    let cursor: string | null | undefined;
    do {
      const next: any = await call('fetch_filing_section', { ...annual, section: 'Financials', ...(cursor ? { cursor } : {}) });
      expect(Buffer.byteLength(next.text)).toBeLessThanOrEqual(4096);
      pages.push(next.text);
      cursor = next.next_cursor;
    } while (cursor);
    expect(pages.join('')).toContain('CASH FLOW STATEMENT'.slice(0, 9));
    expect(pages.join('').match(/INCOME STATEMENT/g)).toHaveLength(1);
  });

  it.each([
    ['risk factors', { ...annual, section: 'Risk Factors' }, 'section_not_available'],
    ['an 8-K', { ticker: 'AAPL', form: '8-K', date: '2026-02-24', section: 'Financials' }, 'section_not_available'],
    ['a date without a filing', { ...annual, date: '2022-10-29', section: 'Financials' }, 'filing_not_found'],
    [
      'a filing without figures',
      { ticker: 'MSFT', form: '10-K', date: '2025-07-30', section: 'Financials' },
      'filing_facts_not_found',
    ],
    [
      'a company without figures',
      { ticker: 'TSLA', form: '10-K', date: '2026-01-29', section: 'Financials' },
      'no_facts_for_ticker',
    ],
  ])('says with a hint that it lacks %s', async (_what, input, reason) => {
    const { detail } = await toolErrorOf(call('fetch_filing_section', input));
    expect(detail).toMatchObject({ code: 'RESOURCE_NOT_FOUND', reason });
    expect(detail.hint).toBeTruthy();
  });

  it.each(['x', 'o3', 'o999999'])('refuses the cursor %s, which it never gave', async (cursor) => {
    const { detail } = await toolErrorOf(call('fetch_filing_section', { ...annual, section: 'Financials', cursor }));
    expect(detail).toMatchObject({ code: 'INVALID_PARAMS', reason: 'bad_cursor' });
  });
});
