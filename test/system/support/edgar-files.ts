/** What a local EDGAR serves, by the path on its hosts (`www/…`, `data/…`). */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readRecorded, recordedData } from '../../support/recorded-data';

export interface ServedFile {
  body: Buffer;
  etag?: string;
  lastModified?: string;
}
export type EdgarFiles = Map<string, ServedFile>;

const LAST_MODIFIED = 'Fri, 06 Mar 2026 21:11:50 GMT';
const json = (value: unknown): ServedFile => ({ body: Buffer.from(JSON.stringify(value)), etag: '"1"' });
/** The archive sends a date of change and no ETag. */
const document = (text: string | Buffer): ServedFile => ({ body: Buffer.from(text), lastModified: LAST_MODIFIED });
const archive = (cik: string, accession: string, name: string) =>
  `www/Archives/edgar/data/${Number(cik)}/${accession.replaceAll('-', '')}/${name}`;
const tickersOf = (companies: { cik: string; ticker: string; title: string }[]) =>
  json(Object.fromEntries(companies.map(({ cik, ticker, title }, i) => [i, { cik_str: Number(cik), ticker, title }])));

/** The recorded companies, in the shapes of the live hosts. */
export function recordedEdgar(): EdgarFiles {
  const files: EdgarFiles = new Map();
  const companies: { cik: string; ticker: string; title: string }[] = [];
  const names = (kind: string) => readdirSync(join(recordedData!, 'edgar', kind)).filter((name) => name.endsWith('.gz'));
  const primary = new Map<string, string>();
  for (const name of names('submissions')) {
    const cik = /\d{10}/.exec(name)![0];
    const body = readRecorded(`edgar/submissions/${name}`);
    const about = JSON.parse(body.toString());
    const { form, filingDate, accessionNumber, primaryDocument } = about.filings.recent;
    for (const ticker of about.tickers as string[]) {
      companies.push({ cik, ticker, title: about.name });
      for (const i of (form as string[]).keys()) {
        const key = `${ticker}-${form[i]}-${filingDate[i]}`.toLowerCase();
        primary.set(key, archive(cik, accessionNumber[i], primaryDocument[i]));
      }
    }
    files.set(`data/submissions/CIK${cik}.json`, { body, etag: `"${body.length}"` });
    // The older pages were not recorded: empty ones stand for them.
    const none = Object.fromEntries(Object.keys(about.filings.recent).map((column) => [column, []]));
    for (const { name: page } of about.filings.files as { name: string }[]) files.set(`data/submissions/${page}`, json(none));
  }
  for (const name of names('companyfacts')) {
    const body = readRecorded(`edgar/companyfacts/${name}`);
    files.set(`data/api/xbrl/companyfacts/${name.replace('.gz', '')}`, { body, etag: `"${body.length}"` });
  }
  for (const name of names('filings')) {
    const path = primary.get(name.replace('.html.gz', ''));
    if (path) files.set(path, document(readRecorded(`edgar/filings/${name}`)));
  }
  files.set('www/files/company_tickers.json', tickersOf(companies));
  return files;
}

export const MADE = {
  cik: '0009999901',
  annual: '0009999901-25-000010',
  annualBefore: '0009999901-24-000007',
  quarterly: '0009999901-25-000004',
  event: '0009999901-25-000012',
  old: '0009999901-05-000001',
};

/** A company that does not exist, with figures that are easy to check. Fiscal 2024 was restated a year later. */
export function madeUpEdgar(): EdgarFiles {
  const { cik, annual, annualBefore, quarterly, event, old } = MADE;
  const filings: [string, string, string, string, string, string][] = [
    [event, '2025-03-10', '2025-03-09', '8-K', '2.02,9.01', 'event.htm'],
    [annual, '2025-03-01', '2024-12-31', '10-K', '', 'tin-2024.htm'],
    [quarterly, '2024-11-05', '2024-09-30', '10-Q', '', 'tin-q3.htm'],
    [annualBefore, '2024-03-01', '2023-12-31', '10-K', '', 'tin-2023.htm'],
  ];
  const older: typeof filings = [[old, '2005-03-01', '2004-12-31', '10-K', '', '']];
  const columns = (rows: typeof filings) => ({
    accessionNumber: rows.map((row) => row[0]),
    filingDate: rows.map((row) => row[1]),
    reportDate: rows.map((row) => row[2]),
    form: rows.map((row) => row[3]),
    items: rows.map((row) => row[4]),
    primaryDocument: rows.map((row) => row[5]),
  });
  const page = `CIK${cik}-submissions-001.json`;
  const of = (accn: string, fy: number, filed: string) => ({ accn, fy, fp: 'FY', form: '10-K', filed });
  const now = of(annual, 2024, '2025-03-01');
  const then = of(annualBefore, 2023, '2024-03-01');
  const y24 = { start: '2024-01-01', end: '2024-12-31' };
  const y23 = { start: '2023-01-01', end: '2023-12-31' };
  /** [own, comparative] of the newer report, then the own figure of the older one. */
  const over = (own: number, comparative: number, before: number) => ({
    units: {
      USD: [
        { ...y23, val: before, ...then },
        { ...y23, val: comparative, ...now },
        { ...y24, val: own, ...now },
      ],
    },
  });
  const at = (own: number, comparative: number, before: number) => ({
    units: {
      USD: [
        { end: y23.end, val: before, ...then },
        { end: y23.end, val: comparative, ...now },
        { end: y24.end, val: own, ...now },
      ],
    },
  });
  return new Map<string, ServedFile>([
    [
      'www/files/company_tickers.json',
      tickersOf([
        { cik, ticker: 'TIN', title: 'Tin Kettle Works Inc.' },
        { cik: '0009999902', ticker: 'TINX', title: 'Tin Kettle Trading Corp' },
        { cik: '0009999903', ticker: 'NOPE', title: 'No Figures Ltd' },
      ]),
    ],
    [
      `data/submissions/CIK${cik}.json`,
      json({
        name: 'Tin Kettle Works Inc.',
        sic: '3430',
        sicDescription: 'Kettles',
        formerNames: [{ name: 'Copper Kettle Works' }],
        filings: { recent: columns(filings), files: [{ name: page, filingFrom: '2005-03-01', filingTo: '2005-03-01' }] },
      }),
    ],
    [`data/submissions/${page}`, json(columns(older))],
    [
      `data/submissions/CIK0009999903.json`,
      json({ name: 'No Figures Ltd', sic: '', filings: { recent: columns([]), files: [] } }),
    ],
    [
      `data/api/xbrl/companyfacts/CIK${cik}.json`,
      json({
        cik: Number(cik),
        entityName: 'Tin Kettle Works Inc.',
        facts: {
          'us-gaap': {
            Revenues: over(1000, 790, 800),
            GrossProfit: over(400, 290, 300),
            OperatingIncomeLoss: over(200, 95, 100),
            NetIncomeLoss: over(150, 75, 80),
            Assets: at(2000, 1800, 1805),
            AssetsCurrent: at(900, 700, 705),
            LiabilitiesCurrent: at(600, 500, 500),
            StockholdersEquity: at(500, 450, 455),
          },
        },
      }),
    ],
    [archive(cik, annual, 'tin-2024.htm'), document(madeUpReport())],
    [
      archive(cik, annual, 'index.json'),
      json({
        directory: {
          item: [{ name: 'tin-2024.htm' }, { name: '../../evil.htm' }, { name: 'tin-ex1301.htm' }, { name: 'tin-ex132.htm' }],
        },
      }),
    ],
  ]);
}

function madeUpReport(): string {
  const sentence = 'Kettles sold well in every region that we serve, and better than pans.';
  const part = (item: string, title: string, count: number) =>
    `<p><b>${item}. ${title}</b></p>${`<p>${sentence}</p>`.repeat(count)}`;
  return `<html><body><p>FORM 10-K</p><p>Tin Kettle Works Inc.</p>
<p><b>PART I</b></p>${part('Item 1', 'Business', 3)}${part('Item 1A', 'Risk Factors', 120)}${part('Item 1B', 'Unresolved Staff Comments', 1)}${part('Item 2', 'Properties', 2)}${part('Item 3', 'Legal Proceedings', 1)}
<p><b>PART II</b></p>${part('Item 5', 'Market for Registrant’s Common Equity', 2)}${part('Item 7', 'Management’s Discussion and Analysis of Financial Condition and Results of Operations', 90)}${part('Item 7A', 'Quantitative and Qualitative Disclosures About Market Risk', 5)}${part('Item 8', 'Financial Statements and Supplementary Data', 60)}${part('Item 9', 'Changes in and Disagreements with Accountants', 1)}
<p><b>PART III</b></p>${part('Item 10', 'Directors', 1)}</body></html>`;
}
