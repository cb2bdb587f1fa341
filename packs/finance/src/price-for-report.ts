/** Decides whether a price may be combined with the per-share figures of a report: a wrong ratio is worse than none. */
import type { CompanyFacts, PriceSeries, Report, Split } from './data';
import { daysBetween } from './dates';

/** A year and a day. A price and a fiscal year end that are further apart belong to different years. */
const MAX_APART_DAYS = 366;

const UNSEEN_SPLITS = 'A split that no filing restates yet, or such as 3-for-2, would not be seen.';

export type ReportPrice = { price: number; asOf: string; note: string } | { reason: string };

/**
 * The last price of the series, or why it can't be used:
 * - `price_too_old`: it is more than a year older than the period;
 * - `period_too_old`: it is more than a year younger. An earlier price of the series is no substitute if the series is adjusted for
 *   dividends, since it is then lower than the price paid;
 * - `split_between`: a split lies between the filing of the report and the share basis of the price.
 */
export function priceForReport(series: PriceSeries, report: Report, facts: CompanyFacts): ReportPrice {
  const after = daysBetween(report.end, series.asOf);
  if (after < -MAX_APART_DAYS)
    return { reason: `price_too_old: the newest price is of ${series.asOf}, the period ended ${report.end}` };
  if (after > MAX_APART_DAYS) return { reason: `period_too_old: the period ended ${report.end}, the price is of ${series.asOf}` };
  const [first, last] = [series.asOf, report.filed].sort() as [string, string];
  const split = facts.splits.find((s) => s.after < last && s.by > first);
  if (split) {
    return {
      reason: `split_between: a ${nameOf(split)} split lies between price (${series.asOf}) and figures (filed ${report.filed})`,
    };
  }
  const when = after >= 0 ? `${after} days after` : `${-after} days BEFORE`;
  const adjustmentNote = series.adjusted ? ' Adjusted for later dividends, so slightly below what was paid.' : '';
  return {
    price: series.rows.at(-1)!.close,
    asOf: series.asOf,
    note: `Close of ${series.asOf}, ${when} the end of the period (${report.end}).${adjustmentNote} ${UNSEEN_SPLITS}`,
  };
}

function nameOf({ factor }: Split): string {
  return factor < 1 ? `1-for-${Math.round(1 / factor)}` : `${factor}-for-1`;
}
