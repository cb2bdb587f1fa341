/**
 * The pack over real companies: recorded answers behind a local server, or EDGAR itself with
 * HOLDFAST_TEST_LIVE_EDGAR=1 and HOLDFAST_EDGAR_USER_AGENT. What is asserted holds for both: closed
 * reports, never counts that grow.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { edgarData, type FinanceData } from '../../../../../packs/finance/src';
import { recordedEdgar } from '../../../support/edgar-files';
import { startEdgar, type EdgarServer } from '../../../support/edgar-server';
import { readRecorded, recordedData } from '../../../../support/recorded-data';
import { call, context, toolErrorOf } from '../../../../support/packs/finance/support';

const live = process.env.HOLDFAST_TEST_LIVE_EDGAR === '1';
const suite = live || recordedData ? describe : describe.skip;

suite(`EDGAR ${live ? 'itself' : 'as recorded (needs HOLDFAST_TEST_DATA, or HOLDFAST_TEST_LIVE_EDGAR=1)'}`, () => {
  let folder: string;
  let server: EdgarServer | null = null;
  let data: FinanceData;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'holdfast-edgar-'));
    server = live ? null : await startEdgar(recordedEdgar());
    const userAgent = live ? process.env.HOLDFAST_EDGAR_USER_AGENT : 'Test test@example.com';
    if (!userAgent) throw new Error('HOLDFAST_TEST_LIVE_EDGAR=1 needs HOLDFAST_EDGAR_USER_AGENT: "Name address@example.com".');
    data = edgarData({ userAgent, cacheFolder: folder, ...(server ? { url: server.url } : {}) });
  });
  afterAll(async () => {
    await server?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const use = (tool: string, input: object) => call(tool, input, undefined, context(), data);

  it.each([
    ['AAPL', '2023-11-03', '0000320193-23-000106', '2023-09-30'],
    ['MSFT', '2023-07-27', '0000950170-23-035122', '2023-06-30'],
    ['NVDA', '2025-02-26', '0001045810-25-000023', '2025-01-26'],
  ])('knows the annual report that %s filed on %s', async (ticker, date, accession, period) => {
    const { filings } = await use('search_filings', { ticker, form: '10-K', limit: 20 });
    expect(filings).toContainEqual({ form: '10-K', date, accession, period, description: 'Annual report' });
  });

  it.each([
    [2020, '0000320193-20-000096', 274_515],
    [2021, '0000320193-21-000105', 365_817],
    [2022, '0000320193-22-000108', 394_328],
    [2023, '0000320193-23-000106', 383_285],
  ])('takes the revenue of fiscal %d from the report of that year, %s', async (fiscal_year, accession, millions) => {
    const card = await use('ratio_card', { ticker: 'AAPL', fiscal_year });
    expect(card.period).toMatchObject({ fiscal_year, accession, form: '10-K' });
    const revenue = card.inputs.find((input: any) => input.concept.startsWith('Revenue') && input.end === card.period.end);
    expect(revenue).toMatchObject({ value: millions * 1e6, unit: 'USD', accession });
    expect(card.source).toMatch(/CIK0000320193\.json, validated/);
  });

  (recordedData ? it : it.skip).each([2020, 2021, 2022, 2023])(
    'agrees with statements recorded by others on the ratios of fiscal %d (needs HOLDFAST_TEST_DATA)',
    async (fiscal_year) => {
      const { ratios } = await use('ratio_card', { ticker: 'AAPL', fiscal_year });
      const of = statement('AAPL', fiscal_year);
      const revenue = of('income', 'Revenue');
      expect(ratios.gross_margin).toBeCloseTo(of('income', 'Gross Profit') / revenue, 4);
      expect(ratios.operating_margin).toBeCloseTo(of('income', 'Operating Income') / revenue, 4);
      expect(ratios.net_margin).toBeCloseTo(of('income', 'Net Income') / revenue, 4);
      const current = of('balance', 'Total Current Assets') / of('balance', 'Total Current Liabilities');
      expect(ratios.current_ratio).toBeCloseTo(current, 4);
    },
  );

  it('derives the split of 2024 from restated earnings, and puts no old price beside new figures', async () => {
    const { splits } = await data.filings.facts('NVDA');
    expect(splits).toContainEqual(expect.objectContaining({ factor: 10 }));
  });

  it.each([
    ['AAPL', '10-K', '2024-11-01', 'MD&A'],
    ['AAPL', '10-K', '2024-11-01', 'Risk Factors'],
    ['AAPL', '10-Q', '2025-08-01', 'MD&A'],
    ['NVDA', '10-K', '2025-02-26', 'Risk Factors'],
    ['NVDA', '10-K', '2025-02-26', 'Financials'],
  ])('serves the text of %s %s %s, %s, as filed, page by page', async (ticker, form, date, section) => {
    const texts: string[] = [];
    for (let cursor: string | null | undefined; cursor !== null;) {
      const input = { ticker, form, date, section, ...(cursor ? { cursor } : {}) };
      const page: any = await use('fetch_filing_section', input);
      expect(page.rendered_from).toBe("the filing's text as filed");
      expect(page.source).toMatch(/\/Archives\/edgar\/data\/\d+\/\d{18}\/\S+\.htm, fetched \d{4}-/);
      expect(Buffer.byteLength(page.text)).toBeLessThanOrEqual(4096);
      texts.push(page.text);
      cursor = page.next_cursor;
    }
    expect(texts.length).toBeGreaterThan(3);
    expect(texts.join('')).toMatch(/\w+ \w+ \w+/);
  });

  it('finds the events of a company that is named as people name it', async () => {
    const answer = await use('search_news', { query: 'Apple earnings', days: 90 });
    expect(answer.source).toContain('AAPL');
    expect(answer.window.to).toBe(new Date().toISOString().slice(0, 10));
  });

  it('knows no company ZZZZZ', async () => {
    expect((await toolErrorOf(use('search_filings', { ticker: 'ZZZZZ' }))).detail.reason).toBe('ticker_not_found');
  });
});

/** A figure of the recorded statements (data set of another project, not from EDGAR). */
function statement(ticker: string, year: number) {
  const rows = (kind: string) =>
    readRecorded(`statements/${kind}_statement_AAPL_MSFT_2020_2023.csv`)
      .toString()
      .split('\n')
      .map((line) =>
        (line.match(/("[^"]*"|[^,]*)(,|$)/g) ?? []).map((cell) => cell.replace(/,$/, '').replaceAll('"', '').trim()),
      );
  return (kind: 'income' | 'balance', label: string): number => {
    const table = rows(kind);
    const value = Number(table.find((row) => row[0] === ticker && row[1] === label)?.[table[0]!.indexOf(String(year))]);
    if (!Number.isFinite(value)) throw new Error(`The statements have no ${label} of ${ticker} in ${year}.`);
    return value;
  };
}
