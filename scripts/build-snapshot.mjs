/**
 * Writes packs/finance/data/ (the embedded snapshot of the finance pack) from a folder of recorded sources.
 *
 *   npm run build && node scripts/build-snapshot.mjs SOURCE_FOLDER [OUTPUT_FOLDER]
 *
 * SOURCE_FOLDER contains edgar/companyfacts, edgar/submissions, statements and prices (packs/finance/data/README.md says where each
 * comes from). The same sources give the same bytes: the script reads no clock. Figures are selected and regrouped, never computed,
 * except splits: the code that reads live EDGAR (packs/finance/src/company-facts.ts, from its dist/) finds them in restated EPS.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { COMPANY_FACTS, reportsOf, splitsOf } from '../packs/finance/dist/company-facts.js';

const [source, out = 'packs/finance/data'] = process.argv.slice(2);
if (!source) {
  console.error('usage: node scripts/build-snapshot.mjs SOURCE_FOLDER [OUTPUT_FOLDER]');
  process.exit(2);
}

const FIRST_FILED = '2018-01-01';
const FIRST_FISCAL_YEAR = 2018;
const QUARTERLY_REPORTS = 6;
const FORMS = new Set(['10-K', '10-Q', '8-K', 'S-1']);
const COMPANIES = [
  { ticker: 'AAPL', name: 'Apple Inc.', cik: '0000320193', facts: true, submissions: true },
  { ticker: 'GOOGL', name: 'Alphabet Inc.', aliases: ['Google'], cik: '0001652044', facts: true, submissions: false },
  { ticker: 'MSFT', name: 'Microsoft Corporation', cik: '0000789019', facts: false, submissions: true },
  { ticker: 'NVDA', name: 'NVIDIA Corporation', cik: '0001045810', facts: true, submissions: true },
  { ticker: 'TSLA', name: 'Tesla, Inc.', cik: '0001318605', facts: false, submissions: true },
];
const gz = (name) => gunzipSync(readFileSync(join(source, name))).toString('utf8');
const submissionsOf = (company) => JSON.parse(gz(`edgar/submissions/CIK${company.cik}.json.gz`));

/** Writes one line for each element of the outermost arrays, so that diffs stay readable. */
function write(name, value) {
  const lines = JSON.stringify(value)
    .replaceAll(/\],\[/g, '],\n[')
    .replaceAll(/,"values":/g, ',\n"values":')
    .replaceAll(/\},\{/g, '},\n{');
  writeFileSync(join(out, name), `${lines}\n`);
}

// ---- filing index -----------------------------------------------------------------------------

/** Rows [form, filed, accession, period, items]. */
function filingsFromSubmissions(company) {
  const recent = submissionsOf(company).filings.recent;
  const rows = recent.form
    .map((form, i) => [form, recent.filingDate[i], recent.accessionNumber[i], recent.reportDate[i], recent.items[i]])
    .filter(([form, filed]) => FORMS.has(form) && filed >= FIRST_FILED);
  return { asOf: recent.filingDate[0], rows };
}

function filingsFromReports(reports) {
  return reports
    .filter((report) => report.filed >= FIRST_FILED)
    .map((report) => [report.form, report.filed, report.accession, report.end, '']);
}

// ---- facts ------------------------------------------------------------------------------------

/** Lists each period once, and the values by the index of their period. */
function compact(report) {
  const periods = [];
  const values = {};
  for (const { concept, unit, start, end, value } of report.facts) {
    const key = `${start ?? ''}/${end}`;
    const index = periods.includes(key) ? periods.indexOf(key) : periods.push(key) - 1;
    (values[`${concept}|${unit}`] ??= {})[index] = value;
  }
  const { accession, form, filed, fiscalYear: fy, fiscalPeriod: fp, end } = report;
  return { accession, form, filed, fy, fp, end, periods, values };
}

/** Selects the latest annual and quarterly reports: enough for several years and for recent quarters. */
function select(reports) {
  const annual = reports.filter((report) => report.form === '10-K' && report.fiscalYear >= FIRST_FISCAL_YEAR);
  const quarterly = reports.filter((report) => report.form === '10-Q').slice(0, QUARTERLY_REPORTS);
  return [...annual, ...quarterly].sort((a, b) => (a.filed < b.filed ? 1 : -1)).map(compact);
}

/** Microsoft: the statements that FinanceToolkit recorded, each assigned to the 10-K of the same fiscal year in the index. */
function reportsFromStatements(ticker, filings) {
  const rows = ['income', 'balance'].flatMap((kind) =>
    readFileSync(join(source, `statements/${kind}_statement_AAPL_MSFT_2020_2023.csv`), 'utf8')
      .trim()
      .split('\n')
      .slice(1)
      .map((line) => [
        kind,
        ...line.match(/("[^"]*"|[^,]*)(,|$)/g).map((cell) => cell.replace(/,$/, '').replaceAll('"', '').trim()),
      ])
      .filter((row) => row[1] === ticker),
  );
  return [2023, 2022, 2021, 2020].map((year) => {
    const filing = filings.find(([form, , , period]) => form === '10-K' && period === `${year}-06-30`);
    const periods = [`${year - 1}-07-01/${year}-06-30`, `/${year}-06-30`];
    if (year > 2020) periods.push(`${year - 2}-07-01/${year - 1}-06-30`, `/${year - 1}-06-30`);
    const values = {};
    for (const [kind, , label, ...cells] of rows) {
      const unit = label === 'EPS' ? 'USD/shares' : label.startsWith('Weighted Average Shares') ? 'shares' : 'USD';
      const instant = kind === 'balance' ? 1 : 0;
      const entry = { [instant]: Number(cells[year - 2020]) };
      if (year > 2020) entry[instant + 2] = Number(cells[year - 2021]);
      if (Object.values(entry).some((value) => value !== 0)) values[`${label}|${unit}`] = entry;
    }
    return { accession: filing[2], form: '10-K', filed: filing[1], fy: year, fp: 'FY', end: `${year}-06-30`, periods, values };
  });
}

// ---- prices -----------------------------------------------------------------------------------

/** The last row of each month, [date, close], and every day of the last year. */
function closes(rows) {
  const days = rows.filter(([, close]) => Number.isFinite(close));
  const ends = new Map(days.map((row) => [row[0].slice(0, 7), row]));
  const yearBefore = new Date(Date.parse(days.at(-1)[0]) - 365 * 86_400_000).toISOString().slice(0, 10);
  return { rows: [...ends.values()], days: days.filter(([date]) => date > yearBefore) };
}

function skfolio(ticker, from) {
  const [header, ...lines] = gz('prices/skfolio_sp500_20tickers_adjclose_1990_2022.csv.gz').trim().split('\n');
  const column = header.trim().split(',').indexOf(ticker);
  return closes(
    lines
      .map((line) => line.split(','))
      .filter(([date]) => date >= from)
      .map((cells) => [cells[0], Number(cells[column])]),
  );
}

function bokeh(ticker) {
  const lines = gz('prices/bokeh_stocks_2000_2013.csv.gz').trim().split('\n').slice(1);
  return closes(
    lines
      .map((line) => line.split(','))
      .filter((cells) => cells[0] === ticker)
      .map((cells) => [cells[1], Number(cells[5])]),
  );
}

function priceFile() {
  const adjusted = 'skfolio 1.12.2 (BSD-3), S&P 500 sample: daily adjusted close; month ends kept, and each day of the last year';
  const asTraded =
    'bokeh-sampledata 2026.1 (public domain): daily close as traded; month ends kept, and each day of the last year';
  const series = {};
  const others = ['AMD', 'BAC', 'CVX', 'GE', 'HD', 'JNJ', 'JPM', 'KO', 'PEP', 'PFE', 'PG', 'WMT', 'XOM'];
  for (const ticker of ['AAPL', 'MSFT'])
    series[ticker] = [{ adjusted: true, source: adjusted, ...skfolio(ticker, '2000-01-01') }];
  for (const ticker of others) series[ticker] = [{ adjusted: true, source: adjusted, ...skfolio(ticker, '2013-01-01') }];
  for (const ticker of ['AAPL', 'MSFT', 'IBM'])
    (series[ticker] ??= []).push({ adjusted: false, source: asTraded, ...bokeh(ticker) });
  const googl = 'these shares traded as GOOG until April 2014';
  series.GOOGL = [{ adjusted: false, source: asTraded, note: googl, ...bokeh('GOOG') }];
  return series;
}

// ---- all --------------------------------------------------------------------------------------

for (const folder of ['filings', 'facts']) mkdirSync(join(out, folder), { recursive: true });
const companies = [];
for (const company of COMPANIES) {
  const { ticker, cik } = company;
  const facts = company.facts ? COMPANY_FACTS.parse(JSON.parse(gz(`edgar/companyfacts/CIK${cik}.json.gz`))) : undefined;
  const all = facts ? reportsOf(facts) : [];
  const index = company.submissions ? filingsFromSubmissions(company) : { asOf: '', rows: [] };
  const known = new Set(index.rows.map((row) => row[2]));
  const derived = filingsFromReports(all).filter((row) => !known.has(row[2]));
  const rows = [...index.rows, ...derived].sort((a, b) => (a[1] < b[1] ? 1 : a[1] > b[1] ? -1 : 0));
  const origin = [
    ...(company.submissions ? [`EDGAR submissions (CIK ${cik}) as of ${index.asOf}`] : []),
    ...(derived.length > 0 ? [`${derived.length} periodic reports from accession numbers in EDGAR company facts`] : []),
  ];
  write(`filings/${ticker}.json`, { as_of: rows[0][1], events_as_of: index.asOf || null, source: origin.join('; '), rows });

  const reports = facts ? select(all) : ticker === 'MSFT' ? reportsFromStatements(ticker, rows) : [];
  if (reports.length > 0) {
    const from = facts
      ? `EDGAR company facts (CIK ${cik}), XBRL values as filed`
      : 'FinanceToolkit (MIT) statement dataset, set beside the 10-K of the same fiscal year; not XBRL values of that filing';
    write(`facts/${ticker}.json`, { source: from, splits: facts ? splitsOf(facts) : [], reports });
  }
  const about = company.submissions ? submissionsOf(company) : undefined;
  companies.push({
    ticker,
    name: company.name,
    aliases: company.aliases ?? [],
    cik,
    sic: about?.sic ?? null,
    sic_description: about?.sicDescription ?? null,
  });
}
write('companies.json', companies);
write('prices.json', priceFile());
