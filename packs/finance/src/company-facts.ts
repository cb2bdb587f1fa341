/**
 * Turns EDGAR's company facts into reports: the facts that one filing states for its own period and for the period that it compares
 * with. Each fact is taken from the filing itself, by accession number: a figure that a later filing restates stays with the later
 * filing. Used for live EDGAR and to build the snapshot.
 */
import { z } from 'zod';
import type { Fact, Report, Split } from './data';
import { daysBetween } from './dates';

const date = z.string().regex(/^\d{4}-\d{2}-\d{2}$/);
const ENTRY = z.object({
  /** Absent for a balance. */
  start: date.optional(),
  end: date,
  val: z.number(),
  accn: z.string().max(40),
  /** Fiscal year and period of the filing, not of the fact. */
  fy: z.number().nullable(),
  fp: z.string().max(10).nullable(),
  form: z.string().max(40),
  filed: date,
});

/** The answer of `api/xbrl/companyfacts/CIK##########.json`: taxonomy → concept → unit → entries. */
export const COMPANY_FACTS = z.object({
  facts: z.record(z.string(), z.record(z.string(), z.object({ units: z.record(z.string(), z.array(ENTRY)) }))),
});
export type CompanyFactsAnswer = z.output<typeof COMPANY_FACTS>;

const UNITS: ReadonlySet<string> = new Set(['USD', 'USD/shares', 'shares'] satisfies Fact['unit'][]);
const COVER_SHARES = 'EntityCommonStockSharesOutstanding';
/** Market value on the cover, at another date than the report's. */
const COVER_VALUE = 'EntityPublicFloat';
const SHORTEST_YEAR = 340;
const LONGEST_QUARTER = 105;

interface FiledReport extends Omit<Report, 'end' | 'fiscalYear'> {
  fiscalYear: number | null;
}

/** Every 10-K and 10-Q with a balance sheet, newest first. Amendments (10-K/A) are left out. */
export function reportsOf({ facts }: CompanyFactsAnswer): Report[] {
  const byAccession = new Map<string, FiledReport>();
  for (const taxonomy of Object.values(facts)) {
    for (const [concept, { units }] of Object.entries(taxonomy)) {
      for (const [unit, entries] of Object.entries(units)) {
        if (!UNITS.has(unit)) continue;
        for (const { accn: accession, form, filed: on, fy, fp, start, end, val } of entries) {
          if (form !== '10-K' && form !== '10-Q') continue;
          const own = { accession, form, filed: on, fiscalYear: fy, fiscalPeriod: fp ?? '' } as const;
          const report: FiledReport = byAccession.get(accession) ?? { ...own, facts: [] };
          report.facts.push({ concept, unit: unit as Fact['unit'], value: val, start: start ?? null, end });
          byAccession.set(accession, report);
        }
      }
    }
  }
  return [...byAccession.values()].flatMap(withItsPeriods).sort((a, b) => (a.filed < b.filed ? 1 : -1));
}

/** The balance sheet date is the newest date of total assets; the date before is the prior period's. */
function withItsPeriods(report: FiledReport): Report[] {
  const dates = new Set(report.facts.filter((fact) => fact.concept === 'Assets').map((fact) => fact.end));
  const [end, priorEnd] = [...dates].sort().reverse();
  if (end === undefined) return [];
  const fiscalYear = report.fiscalYear ?? Number(end.slice(0, 4));
  return [{ ...report, fiscalYear, end, facts: report.facts.filter((fact) => isOwnOrPrior(report, end, priorEnd, fact)) }];
}

/** True for year, quarter, year to date, balances and cover shares, of this period and of the one before. */
function isOwnOrPrior(
  report: FiledReport,
  reportEnd: string,
  priorEnd: string | undefined,
  { concept, start, end }: Fact,
): boolean {
  if (concept === COVER_SHARES) return true;
  if (concept === COVER_VALUE) return false;
  if (start === null) return end === reportEnd || end === priorEnd;
  const aYearBefore = Math.abs(daysBetween(end, reportEnd) - 365) <= 10;
  if (end !== reportEnd && !aYearBefore) return false;
  const length = daysBetween(start, end);
  if (report.form === '10-K') return length >= SHORTEST_YEAR;
  // A 10-Q states cash flows only for the year to date, and other figures for the quarter too.
  const cashFlow = /^(NetCash|Payments|Depreciation|ShareBased)/.test(concept);
  const quarter = length <= LONGEST_QUARTER;
  return cashFlow ? quarter === (report.fiscalPeriod === 'Q1') : quarter;
}

/**
 * Finds share splits, oldest first, in diluted EPS that a later filing restates by a whole factor. The split happened after the
 * last filing with old figures and before the first with new ones. Splits such as 3-for-2 are not found: ordinary restatements look
 * like them.
 */
export function splitsOf({ facts }: CompanyFactsAnswer): Split[] {
  type Entry = z.output<typeof ENTRY>;
  const byPeriod = new Map<string, Entry[]>();
  for (const entry of facts['us-gaap']?.['EarningsPerShareDiluted']?.units['USD/shares'] ?? []) {
    const key = `${entry.start}/${entry.end}`;
    byPeriod.set(key, [...(byPeriod.get(key) ?? []), entry]);
  }
  const splits: Split[] = [];
  for (const [period, entries] of byPeriod) {
    entries.sort((a, b) => (a.filed < b.filed ? -1 : 1));
    for (const [i, became] of entries.entries()) {
      const previous = entries[i - 1];
      const factor = previous && factorOf(previous.val, became.val);
      if (!previous || !factor) continue;
      const same = splits.find((s) => s.factor === factor && s.after < became.filed && previous.filed < s.by);
      const evidence = `EPS diluted ${period}: ${previous.val} in ${previous.accn}, ${became.val} in ${became.accn}`;
      if (!same) splits.push({ factor, after: previous.filed, by: became.filed, evidence });
      else if (previous.filed > same.after || became.filed < same.by) {
        same.after = previous.filed > same.after ? previous.filed : same.after;
        same.by = became.filed < same.by ? became.filed : same.by;
      }
    }
  }
  return splits.sort((a, b) => (a.after < b.after ? -1 : 1));
}

/** New shares for an old one, if the figures differ by a whole factor: 4, or 1/10 after a reverse split. */
function factorOf(before: number, after: number): number | null {
  const more = wholeFactor(before, after);
  if (more !== null) return more;
  const fewer = wholeFactor(after, before);
  return fewer === null ? null : 1 / fewer;
}

function wholeFactor(larger: number, smaller: number): number | null {
  const factor = Math.round(larger / smaller);
  if (!Number.isFinite(factor) || factor < 2) return null;
  // The smaller figure is rounded to cents, so it is off by up to half a cent, times the factor.
  return Math.abs(larger - factor * smaller) <= 0.006 * factor + 0.005 ? factor : null;
}
