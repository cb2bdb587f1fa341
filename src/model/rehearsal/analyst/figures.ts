/** Reads figures out of results, and formats them. Anything but a finite number counts as not available. */
import { isJsonObject, type Json, type JsonObject } from '../../../shared/json/json';
import { objects } from '../conversation';
import type { Ledger } from '../call-ledger';
import { getQuote, priceHistory, ratioCard } from './calls';

export const RATIOS = [
  ['pe', 'P/E', 'times'],
  ['pb', 'P/B', 'times'],
  ['roe', 'Return on equity', 'share'],
  ['gross_margin', 'Gross margin', 'share'],
  ['operating_margin', 'Operating margin', 'share'],
  ['net_margin', 'Net margin', 'share'],
  ['current_ratio', 'Current ratio', 'times'],
  ['debt_to_equity', 'Debt to equity', 'times'],
  ['revenue_growth', 'Revenue growth', 'share'],
] as const;

export type Unit = (typeof RATIOS)[number][2];

export function finite(value: Json | undefined): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

export function ratio(card: JsonObject | undefined, name: string): number | undefined {
  return isJsonObject(card?.ratios) ? finite(card.ratios[name]) : undefined;
}

export function margin(ledger: Ledger, ticker: string): number | undefined {
  return ratio(ledger.data(ratioCard(ticker)), 'net_margin');
}

/** Two decimals; shares as percent. */
export function formatFigure(value: number | undefined, unit: Unit): string {
  if (value === undefined) return 'n/a';
  return unit === 'share' ? `${(value * 100).toFixed(2)} %` : value.toFixed(2);
}

export interface Closing {
  date: string;
  close: number;
}

/** First and last close of the year's series, by date. */
export function closes(ledger: Ledger, ticker: string): { first: Closing; last: Closing; count: number } | undefined {
  const series = objects(ledger.data(priceHistory(ticker))?.series)
    .flatMap((point): Closing[] => {
      const close = finite(point.close);
      return typeof point.date === 'string' && close !== undefined ? [{ date: point.date, close }] : [];
    })
    .sort((a, b) => a.date.localeCompare(b.date));
  return series.length < 2 ? undefined : { first: series[0]!, last: series.at(-1)!, count: series.length };
}

/** The calculation of the step with `calculate`: the expression, and what its result means. */
export function expressionOf(ledger: Ledger, ticker: string, peers: string[]): { text: string; meaning: string } | undefined {
  const own = margin(ledger, ticker);
  const peer = peers.find((name) => margin(ledger, name) !== undefined);
  if (own !== undefined && peer !== undefined) {
    return {
      text: `(${operand(own)} - ${operand(margin(ledger, peer)!)}) * 100`,
      meaning: `net margin of ${ticker} less that of ${peer}, percentage points`,
    };
  }
  const price = finite(ledger.data(getQuote(ticker))?.price);
  const year = closes(ledger, ticker);
  if (price !== undefined && year !== undefined && year.first.close !== 0) {
    return {
      text: `(${operand(price)} / ${operand(year.first.close)} - 1) * 100`,
      meaning: `price of ${ticker} against its close of ${year.first.date}, percent`,
    };
  }
  return own === undefined ? undefined : { text: `${operand(own)} * 100`, meaning: `net margin of ${ticker}, percent` };
}

function operand(value: number): string {
  return value < 0 ? `(${value})` : String(value);
}
