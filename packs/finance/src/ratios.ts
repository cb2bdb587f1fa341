/**
 * Computes the ratios of one annual report. Formulas as in common textbooks of financial statement analysis:
 *
 * - pe = price ÷ diluted EPS; EPS as reported, else net income ÷ diluted average shares
 * - pb = price × shares outstanding (cover of the report) ÷ equity
 * - roe = net income ÷ equity at the end of the period (not the average)
 * - gross_margin, operating_margin, net_margin = gross profit, operating income, net income ÷ revenue; gross profit as reported,
 *   else revenue − cost of revenue
 * - current_ratio = current assets ÷ current liabilities
 * - debt_to_equity = interest-bearing debt ÷ equity; debt = commercial paper + debt due within a year + non-current debt, leases
 *   left out; parts that are not reported count as 0. If non-current debt is not reported: debt = commercial paper + all long-term
 *   debt
 * - revenue_growth = revenue ÷ revenue of the year before − 1, both from the same report
 *
 * Ratios are fractions, not per cent, rounded to six decimals. A ratio that can't be computed is null, with the reason.
 */
import { figure, sharesOutstanding, type LineKey } from './concepts';
import type { Fact, Report } from './data';
import type { ReportPrice } from './price-for-report';

export const RATIOS = [
  'pe',
  'pb',
  'roe',
  'gross_margin',
  'operating_margin',
  'net_margin',
  'current_ratio',
  'debt_to_equity',
  'revenue_growth',
] as const;
export type Ratio = (typeof RATIOS)[number];

export interface RatioCard {
  ratios: Record<Ratio, number | null>;
  missing: { ratio: Ratio; reason: string }[];
  /** Every figure that was used. */
  inputs: Fact[];
}

/** Why a ratio is missing; thrown and caught within this file. */
class Missing extends Error {}

export function ratioCard(report: Report, beside: ReportPrice): RatioCard {
  const usedFacts = new Map<string, Fact>();
  const use = (fact: Fact): number => {
    usedFacts.set(`${fact.concept}/${fact.end}`, fact);
    return fact.value;
  };
  const has = (key: LineKey, which: 'own' | 'prior' = 'own') => figure(report, key, which) !== undefined;
  const get = (key: LineKey, which: 'own' | 'prior' = 'own'): number => {
    const fact = figure(report, key, which);
    if (!fact) throw new Missing(`not_reported: ${key}${which === 'prior' ? ' of the year before' : ''}`);
    return use(fact);
  };
  const price = (): number => {
    if ('reason' in beside) throw new Missing(beside.reason);
    return beside.price;
  };
  const shares = (): number => {
    const fact = sharesOutstanding(report);
    if (!fact) throw new Missing('not_reported: shares outstanding');
    return use(fact);
  };
  const over = (part: number, whole: number, name: string): number => {
    if (!(whole > 0)) throw new Missing(`not_meaningful: ${name} is ${whole}`);
    return part / whole;
  };
  const eps = () => (has('epsDiluted') ? get('epsDiluted') : over(get('netIncome'), get('sharesDiluted'), 'diluted shares'));
  const gross = () => (has('grossProfit') ? get('grossProfit') : get('revenue') - get('cost'));
  const debt = () => {
    const parts = (['commercialPaper', 'debtCurrent', 'debtNoncurrent'] as const).filter((key) => has(key));
    if (has('debtNoncurrent')) return parts.map((key) => get(key)).reduce((a, b) => a + b, 0);
    return get('debtTotal') + (has('commercialPaper') ? get('commercialPaper') : 0);
  };

  const formulas: Record<Ratio, () => number> = {
    pe: () => over(price(), eps(), 'EPS'),
    pb: () => over(price() * shares(), get('equity'), 'equity'),
    roe: () => over(get('netIncome'), get('equity'), 'equity'),
    gross_margin: () => over(gross(), get('revenue'), 'revenue'),
    operating_margin: () => over(get('operatingIncome'), get('revenue'), 'revenue'),
    net_margin: () => over(get('netIncome'), get('revenue'), 'revenue'),
    current_ratio: () => over(get('currentAssets'), get('currentLiabilities'), 'current liabilities'),
    debt_to_equity: () => over(debt(), get('equity'), 'equity'),
    revenue_growth: () => over(get('revenue'), get('revenue', 'prior'), 'revenue of the year before') - 1,
  };

  const ratios = {} as Record<Ratio, number | null>;
  const missing: RatioCard['missing'] = [];
  for (const ratio of RATIOS) {
    try {
      ratios[ratio] = Number(formulas[ratio]().toFixed(6));
    } catch (error) {
      if (!(error instanceof Missing)) throw error;
      ratios[ratio] = null;
      missing.push({ ratio, reason: error.message });
    }
  }
  return { ratios, missing, inputs: [...usedFacts.values()] };
}
