/** The whole pack over a local EDGAR with a company that does not exist: always there, and small enough to check by hand. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { edgarData, type FinanceData } from '../../../../../packs/finance/src';
import { MADE, madeUpEdgar, type EdgarFiles } from '../../../support/edgar-files';
import { startEdgar, type EdgarServer } from '../../../support/edgar-server';
import { call, context, toolErrorOf } from '../../../../support/packs/finance/support';

let folder: string;
let files: EdgarFiles;
let server: EdgarServer;
let data: FinanceData;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-edgar-'));
  files = madeUpEdgar();
  server = await startEdgar(files);
  data = fresh();
});
afterEach(async () => {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

const fresh = () => edgarData({ userAgent: 'Kettle Bank data@bank.example', cacheFolder: folder, url: server.url });
const use = (tool: string, input: object, ctx = context()) => call(tool, input, undefined, ctx, data);
const html = (body: string) => ({ body: Buffer.from(`<html><body>${body}</body></html>`) });
const primary = `www/Archives/edgar/data/9999901/${MADE.annual.replaceAll('-', '')}/tin-2024.htm`;

describe('over live EDGAR', () => {
  it('search_filings lists what was filed, older pages included, and says where from and when', async () => {
    const result = await use('search_filings', { ticker: 'TIN' });
    expect(result.filings.map((filing: any) => [filing.form, filing.date, filing.accession])).toEqual([
      ['8-K', '2025-03-10', MADE.event],
      ['10-K', '2025-03-01', MADE.annual],
      ['10-Q', '2024-11-05', MADE.quarterly],
      ['10-K', '2024-03-01', MADE.annualBefore],
      ['10-K', '2005-03-01', MADE.old],
    ]);
    expect(result.total).toBe(5);
    expect(result.source).toMatch(/EDGAR.*\/data\/submissions\/CIK0009999901\.json, validated \d{4}-\d{2}-\d{2}T/);
  });

  it('search_filings reads older pages only where they are needed, and says how far it went', async () => {
    const { filings, source } = await use('search_filings', { ticker: 'TIN', form: '10-K', limit: 1 });
    expect(filings).toHaveLength(1);
    expect(source).toContain('read back to 2024-03-01');
    expect(server.asked('data/submissions/CIK0009999901-submissions-001.json')).toHaveLength(0);
  });

  it('fetch_filing_section serves the filed text page by page, and fetches the document once', async () => {
    const pages: any[] = [];
    for (let cursor: string | null | undefined; cursor !== null; cursor = pages.at(-1).next_cursor) {
      const input = { ticker: 'TIN', form: '10-K', date: '2025-03-01', section: 'Risk Factors', ...(cursor ? { cursor } : {}) };
      pages.push(await use('fetch_filing_section', input));
    }
    expect(pages.length).toBeGreaterThan(1);
    for (const { text } of pages) expect(Buffer.byteLength(text)).toBeLessThanOrEqual(4096);
    const whole = pages.map(({ text }) => text).join('');
    expect(whole.match(/Kettles sold well/g)).toHaveLength(120);
    expect(pages[0]).toMatchObject({ accession: MADE.annual, rendered_from: "the filing's text as filed" });
    expect(pages[0].items.length).toBeGreaterThan(0);
    expect(pages[0].source).toContain('tin-2024.htm, fetched 20');
    data = fresh();
    await use('fetch_filing_section', { ticker: 'TIN', form: '10-K', date: '2025-03-01', section: 'MD&A' });
    expect(server.asked(primary)).toHaveLength(1);
  });

  it('ratio_card takes the figures of the report itself, not those that a later report restates', async () => {
    const newer = await use('ratio_card', { ticker: 'TIN' });
    expect(newer.period).toMatchObject({ fiscal_year: 2024, end: '2024-12-31', accession: MADE.annual });
    expect(newer.ratios).toMatchObject({
      gross_margin: 0.4,
      operating_margin: 0.2,
      net_margin: 0.15,
      current_ratio: 1.5,
      roe: 0.3,
    });
    expect(newer.ratios.revenue_growth).toBeCloseTo(1000 / 790 - 1, 6);
    const older = await use('ratio_card', { ticker: 'TIN', fiscal_year: 2023 });
    expect(older.ratios).toMatchObject({ gross_margin: 0.375, operating_margin: 0.125, net_margin: 0.1, current_ratio: 1.41 });
    expect(older.source).toMatch(/companyfacts\/CIK0009999901\.json, validated/);
  });

  it('search_news finds 8-Ks by ticker or name, counted back from today', async () => {
    const { source, window, note } = await use('search_news', { query: 'Tin Kettle Works earnings', days: 90 });
    expect(source).toContain('TIN (EDGAR submissions');
    expect(source).not.toContain('TINX');
    expect(window.to).toBe(new Date().toISOString().slice(0, 10));
    expect(note).toContain('counted back');
  });

  it('search_news asks for a company when the query names none', async () => {
    const { detail } = await toolErrorOf(use('search_news', { query: 'acquisition' }));
    expect(detail).toMatchObject({ code: 'RESOURCE_NOT_FOUND', reason: 'no_company_named' });
  });

  it('prices and peers stay those of the snapshot, and say so', async () => {
    expect(await use('get_quote', { ticker: 'AAPL' })).toMatchObject({ as_of: '2022-12-28', stale: true });
    const { detail } = await toolErrorOf(use('peer_companies', { ticker: 'TIN' }));
    expect(detail).toMatchObject({ reason: 'no_peer_data', hint: expect.stringContaining('AAPL') });
    expect((await data.peers.peers('AAPL')).source).toContain('EDGAR serves no peers');
  });

  it.each([
    ['an unknown ticker', 'search_filings', { ticker: 'ZZZZ' }, 'ticker_not_found'],
    ['a company without XBRL figures', 'ratio_card', { ticker: 'NOPE' }, 'no_facts_for_ticker'],
    [
      'a date without a filing',
      'fetch_filing_section',
      { ticker: 'TIN', form: '10-K', date: '2025-03-02', section: 'MD&A' },
      'filing_not_found',
    ],
    [
      'a filing older than documents of their own',
      'fetch_filing_section',
      { ticker: 'TIN', form: '10-K', date: '2005-03-01', section: 'MD&A' },
      'document_not_found',
    ],
    [
      'a document that is gone',
      'fetch_filing_section',
      { ticker: 'TIN', form: '10-Q', date: '2024-11-05', section: 'MD&A' },
      'document_not_found',
    ],
  ])('says what is missing with a hint: %s', async (_what, tool, input, reason) => {
    const { detail } = await toolErrorOf(use(tool, input));
    expect(detail).toMatchObject({ code: 'RESOURCE_NOT_FOUND', reason });
    expect(detail.hint).toBeTruthy();
  });

  it.each([
    ['HTML instead of JSON', '<html>Undeclared tool</html>', /not JSON but begins with "<html>/],
    ['JSON that is cut off', '{"filings":', /not JSON/],
    ['another shape', '{"name":"x","filings":{"recent":[],"files":[]}}', /filings.recent/],
    ['a page name that leads elsewhere', '{"name":"x","filings":{"recent":{},"files":[{"name":"../../x"}]}}', /filings/],
  ])('refuses %s', async (_what, body, message) => {
    files.set('data/submissions/CIK0009999901.json', { body: Buffer.from(body) });
    const error = await toolErrorOf(use('search_filings', { ticker: 'TIN' }));
    expect(error.detail).toMatchObject({ code: 'EXECUTION_ERROR', reason: 'bad_upstream_answer' });
    expect(error.message).toMatch(message);
  });

  it('refuses columns of unequal length', async () => {
    const path = 'data/submissions/CIK0009999901.json';
    const about = JSON.parse(files.get(path)!.body.toString());
    about.filings.recent.form.pop();
    files.set(path, { body: Buffer.from(JSON.stringify(about)) });
    expect((await toolErrorOf(use('search_filings', { ticker: 'TIN' }))).message).toContain('differ in length');
  });

  it('asks once for what several calls of a batch need at the same time', async () => {
    await Promise.all(['10-K', '10-Q', '8-K'].map((form) => use('search_filings', { ticker: 'TIN', form, limit: 1 })));
    expect(server.asked('www/files/company_tickers.json')).toHaveLength(1);
    expect(server.asked('data/submissions/CIK0009999901.json')).toHaveLength(1);
  });

  it('goes on for the other calls when one of them is cancelled', async () => {
    const cancel = new AbortController();
    const gone = use('search_filings', { ticker: 'TIN' }, context({ signal: cancel.signal }));
    const stays = use('search_filings', { ticker: 'TIN' });
    cancel.abort(new Error('cancelled'));
    await expect(gone).rejects.toThrow('cancelled');
    expect((await stays).total).toBe(5);
  });

  it('follows a report to its exhibit', async () => {
    const sentence =
      'The information required by this Item is incorporated by reference to the 2024 Annual Report to Shareholders, filed as Exhibit 13.';
    files.set(
      primary,
      html(
        `<p><b>PART I</b></p><p><b>Item 1. Business</b></p><p>Kettles.</p><p><b>Item 1A. Risk Factors</b></p><p>${'Kettles may rust. '.repeat(60)}</p>
<p><b>PART II</b></p><p><b>Item 7. Management’s Discussion and Analysis of Financial Condition and Results of Operations</b></p><p>${sentence}</p>
<p><b>Item 8. Financial Statements and Supplementary Data</b></p><p>${sentence}</p><p><b>Item 9. Changes in and Disagreements with Accountants</b></p><p>None.</p>`,
      ),
    );
    files.set(
      primary.replace('tin-2024.htm', 'tin-ex1301.htm'),
      html(
        `<p><b>Management’s Discussion and Analysis of Financial Condition and Results of Operations</b></p>${'<p>Revenue grew as we sold more kettles than in any year before.</p>'.repeat(80)}
<p><b>Consolidated Statements of Income</b></p><p>Revenue 1,000</p>`,
      ),
    );
    const input = { ticker: 'TIN', form: '10-K', date: '2025-03-01', section: 'MD&A' };
    const result = await use('fetch_filing_section', input).catch((error) => error);
    expect(result).toMatchObject({ source: expect.stringContaining('tin-ex1301.htm') });
    expect(result.text).toContain('more kettles than in any year');
    expect(result.notes.join(' ')).toContain('exhibit 13');
  });
});
