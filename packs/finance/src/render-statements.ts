/**
 * Renders the figures of a report as plain text, since the snapshot has no text of filings: the statements for Financials, and a
 * comparison with the prior period for MD&A. Amounts in millions of US dollars, shares in millions, per-share amounts in dollars.
 */
import { figure, LINES, type LineKey } from './concepts';
import type { Fact, Report } from './data';

const STATEMENTS = { income: 'INCOME STATEMENT', balance: 'BALANCE SHEET', cash_flow: 'CASH FLOW' } as const;
const UNITS = 'Amounts in millions of USD, shares in millions, per-share amounts in USD. "-": not in the facts.';

/** Renders the three statements, each line with its figure of the prior period. */
export function renderFinancials(name: string, report: Report): string {
  const out = [`${name}: ${title(report)}`, UNITS];
  for (const [statement, heading] of Object.entries(STATEMENTS)) {
    const keys = keysOf(statement);
    const rows = keys
      .map((key) => [key, figure(report, key), figure(report, key, 'prior')] as const)
      .filter((row) => row[1] ?? row[2]);
    out.push('', `${heading} (${span(rows)})`);
    if (rows.length === 0) out.push('Not in the facts.');
    for (const [key, own, prior] of rows) out.push(row(LINES[key].label, amount(own), amount(prior)));
  }
  return `${out.join('\n')}\n`;
}

/** Compares two periods: both amounts and the change in per cent, then margins. */
export function renderComparison(name: string, report: Report): string {
  const out = [`${name}: ${title(report)}`, 'Comparison of the period with the one before, computed from the facts.', UNITS];
  for (const [statement, heading] of Object.entries(STATEMENTS)) {
    const lines = keysOf(statement).flatMap((key) => compare(key, figure(report, key), figure(report, key, 'prior')));
    if (lines.length > 0) out.push('', heading, ...lines);
  }
  const margins = (['grossProfit', 'operatingIncome', 'netIncome'] as const).flatMap((key) => margin(report, key));
  if (margins.length > 0) out.push('', 'MARGINS (per cent of revenue)', ...margins);
  return `${out.join('\n')}\n`;
}

const keysOf = (statement: string) => (Object.keys(LINES) as LineKey[]).filter((key) => LINES[key].statement === statement);
const title = (r: Report) =>
  `${r.form} for fiscal ${r.fiscalYear} ${r.fiscalPeriod}, period ended ${r.end}, filed ${r.filed}, ${r.accession}`;
const row = (label: string, a: string, b: string) => `${label.padEnd(28)}${a.padStart(14)}${b.padStart(14)}`;

function span(rows: readonly (readonly [LineKey, Fact | undefined, Fact | undefined])[]): string {
  const own = rows.find((r) => r[1])?.[1];
  const prior = rows.find((r) => r[2])?.[2];
  const words = (fact: Fact | undefined) =>
    fact === undefined ? 'none' : fact.start === null ? fact.end : `${fact.start} to ${fact.end}`;
  return `${words(own)} | ${words(prior)}`;
}

function amount(fact: Fact | undefined): string {
  if (fact === undefined) return '-';
  return fact.unit === 'USD/shares' ? String(fact.value) : formatNumber(fact.value / 1e6);
}

/** Thousands separated by commas, at most one decimal; independent of the machine's locale. */
function formatNumber(value: number): string {
  const [whole, rest] = Math.abs(value).toFixed(1).split('.') as [string, string];
  const text = whole.replace(/\B(?=(\d{3})+$)/g, ',') + (rest === '0' ? '' : `.${rest}`);
  return value < 0 ? `-${text}` : text;
}

function compare(key: LineKey, own: Fact | undefined, prior: Fact | undefined): string[] {
  if (!own || !prior) return [];
  const change = own.value - prior.value;
  const perCent = prior.value > 0 ? `${change >= 0 ? '+' : ''}${((change / prior.value) * 100).toFixed(1)} %` : 'n/a';
  return [`${LINES[key].label}: ${amount(own)} against ${amount(prior)} (${perCent})`];
}

function margin(report: Report, key: 'grossProfit' | 'operatingIncome' | 'netIncome'): string[] {
  const of = (which: 'own' | 'prior') => {
    const revenue = figure(report, 'revenue', which)?.value;
    const part = figure(report, key, which)?.value;
    return revenue && part !== undefined ? ((part / revenue) * 100).toFixed(1) : undefined;
  };
  const [own, prior] = [of('own'), of('prior')];
  return own === undefined ? [] : [`${LINES[key].label}: ${own}${prior === undefined ? '' : ` against ${prior}`}`];
}
