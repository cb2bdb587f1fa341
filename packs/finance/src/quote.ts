/** Makes a quote from the last price of a series, with notes that a reader needs. */
import type { PriceSeries } from './data';
import { daysBetween } from './dates';

/** A close that is older, in days, is not a current price (a long weekend has four). */
const STALE_AFTER_DAYS = 5;

export interface Quote {
  price: number;
  as_of: string;
  stale: boolean;
  adjusted: boolean;
  note: string;
}

export function lastQuote(series: PriceSeries, today: string): Quote {
  const age = daysBetween(series.asOf, today);
  const stale = age > STALE_AFTER_DAYS;
  const notes = [
    stale
      ? `Not a current price: the newest that the source has is the close of ${series.asOf}, ${age} days old.`
      : `Close of ${series.asOf}.`,
    basisNote(series),
  ];
  return { price: series.rows.at(-1)!.close, as_of: series.asOf, stale, adjusted: series.adjusted, note: notes.join(' ') };
}

/** How the prices are adjusted, and the series' own note. */
export function basisNote(series: PriceSeries): string {
  const kind = series.adjusted
    ? 'Adjusted for splits and for dividends paid after each date, so slightly below what was paid on the day.'
    : 'As traded on the day, not adjusted for later splits.';
  return series.note ? `${kind} Note: ${series.note}.` : kind;
}
