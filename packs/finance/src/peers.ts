/** Chooses comparable companies: the same industry by SIC code first, then the nearest in revenue. */
import type { Company } from './data';

export type SizedCompany = Company & {
  /** Revenue of the newest annual report, US dollars; null if there is none. */
  revenue: number | null;
};

const MOST = 5;

/** @param companies all known companies, including the company itself */
export function nearestPeers(company: SizedCompany, companies: readonly SizedCompany[]): { peers: string[]; basis: string } {
  const others = companies.filter(({ ticker }) => ticker !== company.ticker);
  const ranking = others
    .map((other) => ({
      other,
      digits: sharedDigits(company.sic, other.sic),
      apart: revenueDistance(company.revenue, other.revenue),
    }))
    .sort((a, b) => b.digits - a.digits || a.apart - b.apart || (a.other.ticker < b.other.ticker ? -1 : 1))
    .slice(0, MOST);
  const each = ranking.map(
    ({ other, digits }) => `${other.ticker} (${industry(digits)}, ${size(company.revenue, other.revenue)})`,
  );
  const basis =
    "Computed from the companies at hand, not an analyst's choice: those that share most digits of the SIC code first, " +
    `then by nearness of revenue in the newest annual report: ${each.join(', ')}`;
  return { peers: ranking.map(({ other }) => other.ticker), basis };
}

/**
 * How many leading digits two SIC codes share: 4, 3, 2 or 0. One digit stands for a whole sector of the economy, and counts as 0.
 */
function sharedDigits(a: string | null, b: string | null): number {
  if (a === null || b === null) return 0;
  return [4, 3, 2].find((digits) => a.slice(0, digits) === b.slice(0, digits)) ?? 0;
}

/** By what factor two revenues differ, as a logarithm. */
function revenueDistance(a: number | null, b: number | null): number {
  return a === null || b === null || a <= 0 || b <= 0 ? Infinity : Math.abs(Math.log(a / b));
}

function industry(digits: number): string {
  return digits === 0 ? 'no SIC code in common' : `${digits} digits of the SIC code`;
}

function size(own: number | null, other: number | null): string {
  return own === null || other === null ? 'revenue not compared' : `${(other / own).toFixed(2)} × its revenue`;
}
