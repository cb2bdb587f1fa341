import type { CompanyFacts, PriceSeries, Report } from '../../../../packs/finance/src/data';
import { priceForReport } from '../../../../packs/finance/src/price-for-report';
import { call, toolErrorOf } from '../../../support/packs/finance/support';

/** Typed from the FinanceToolkit statements (millions; MIT), independently of the snapshot's own files. */
type Stated = [string, number, number, number | null, number, number, number, number, number, number, number];
const STATED: Stated[] = [
  // ticker, year, revenue, prior revenue, gross, operating, net, current assets, current liabilities, equity, debt
  ['AAPL', 2020, 274515, 260174, 104956, 66288, 57411, 143713, 105392, 65339, 112436],
  ['AAPL', 2021, 365817, 274515, 152836, 108949, 94680, 134836, 125481, 63090, 124719],
  ['AAPL', 2022, 394328, 365817, 170782, 119437, 99803, 135405, 153982, 50672, 120069],
  ['AAPL', 2023, 383285, 394328, 169148, 114301, 96995, 143566, 145308, 62146, 111088],
  ['MSFT', 2020, 143015, null, 96937, 52959, 44281, 181915, 72310, 118304, 63327],
  ['MSFT', 2021, 168088, 143015, 115856, 69916, 61271, 184406, 88657, 141988, 58146],
  ['MSFT', 2022, 198270, 168088, 135620, 83383, 72738, 169684, 95082, 166542, 49781],
  ['MSFT', 2023, 211915, 198270, 146052, 88523, 72361, 184257, 104149, 206223, 47237],
];

describe('ratio_card', () => {
  it.each(STATED)(
    'agrees with independent figures: %s %i',
    async (ticker, year, revenue, prior, gross, operating, net, ca, cl, equity, debt) => {
      const { ratios, period } = await call('ratio_card', { ticker, fiscal_year: year });
      expect(period).toMatchObject({ fiscal_year: year, form: '10-K' });
      expect(ratios.gross_margin).toBeCloseTo(gross / revenue, 5);
      expect(ratios.operating_margin).toBeCloseTo(operating / revenue, 5);
      expect(ratios.net_margin).toBeCloseTo(net / revenue, 5);
      expect(ratios.current_ratio).toBeCloseTo(ca / cl, 5);
      expect(ratios.roe).toBeCloseTo(net / equity, 5);
      expect(ratios.debt_to_equity).toBeCloseTo(debt / equity, 5);
      if (prior === null) expect(ratios.revenue_growth).toBeNull();
      else expect(ratios.revenue_growth).toBeCloseTo(revenue / prior - 1, 5);
    },
  );

  it('puts a price beside EPS within a year of the period, and says from when it is', async () => {
    const card = await call('ratio_card', { ticker: 'AAPL', fiscal_year: 2022 });
    expect(card.price).toMatchObject({ value: 125.674, as_of: '2022-12-28', note: expect.stringContaining('95 days after') });
    expect(card.ratios.pe).toBeCloseTo(125.674 / 6.11, 4);
    expect(card.ratios.pb).toBeCloseTo((125.674 * 15908118000) / 50672e6, 4);
    expect(card.missing).toEqual([]);
    expect(card.inputs).toContainEqual({
      concept: 'EarningsPerShareDiluted',
      value: 6.11,
      unit: 'USD/shares',
      end: '2022-09-24',
      accession: '0000320193-22-000108',
    });
  });

  it('derives diluted EPS from net income where it is not reported', async () => {
    const { ratios } = await call('ratio_card', { ticker: 'MSFT', fiscal_year: 2022 });
    expect(ratios.pe).toBeCloseTo(233.434 / (72738 / 7540), 4);
  });

  it.each([
    ['the newest year of Apple, whose price is years older', { ticker: 'AAPL' }, 'price_too_old'],
    ['a year long before the price', { ticker: 'AAPL', fiscal_year: 2019 }, 'period_too_old'],
    ['Alphabet, whose price is of 2013', { ticker: 'GOOGL', fiscal_year: 2021 }, 'price_too_old'],
    ['a company without a price', { ticker: 'NVDA' }, 'no_quote_for_ticker'],
  ])('gives no P/E rather than a wrong one: %s', async (_why, input, reason) => {
    const { ratios, missing, price } = await call('ratio_card', input);
    expect(ratios).toMatchObject({ pe: null, pb: null, roe: expect.any(Number) });
    expect(price).toBeNull();
    expect(missing.find((entry: any) => entry.ratio === 'pe').reason).toContain(reason);
  });

  it('computes gross profit from revenue and cost where it is not reported', async () => {
    const { ratios } = await call('ratio_card', { ticker: 'GOOGL', fiscal_year: 2025 });
    expect(ratios.gross_margin).toBeCloseTo((402836 - 162535) / 402836, 5);
  });

  it('names the fiscal years that exist', async () => {
    const { detail } = await toolErrorOf(call('ratio_card', { ticker: 'MSFT', fiscal_year: 2019 }));
    expect(detail).toMatchObject({ reason: 'fiscal_year_not_found', hint: 'Fiscal years: 2023, 2022, 2021, 2020.' });
  });
});

describe('a price beside per-share figures', () => {
  const report = { end: '2020-06-27', filed: '2020-07-31' } as Report;
  const facts = { splits: [{ factor: 4, after: '2020-07-31', by: '2020-10-30', evidence: '' }] } as unknown as CompanyFacts;
  const series = (asOf: string) => ({ asOf, adjusted: false, rows: [{ date: asOf, close: 100 }] }) as unknown as PriceSeries;

  it('is refused when a split lies, or may lie, between them', () => {
    expect(priceForReport(series('2020-12-31'), report, facts)).toEqual({
      reason: expect.stringContaining('split_between: a 4-for-1'),
    });
    expect(priceForReport(series('2020-09-15'), report, facts)).toHaveProperty('reason');
  });

  it('is refused when a reverse split lies between them', () => {
    const reverse = { splits: [{ ...facts.splits[0]!, factor: 1 / 30 }] } as unknown as CompanyFacts;
    expect(priceForReport(series('2020-12-31'), report, reverse)).toEqual({
      reason: expect.stringContaining('split_between: a 1-for-30'),
    });
  });

  it('is used if both are for the same shares; an older price than the period is named', () => {
    expect(priceForReport(series('2020-06-01'), report, facts)).toMatchObject({
      price: 100,
      note: expect.stringContaining('26 days BEFORE'),
    });
    expect(priceForReport(series('2020-06-01'), report, facts)).toMatchObject({ note: expect.stringContaining('3-for-2') });
  });
});
