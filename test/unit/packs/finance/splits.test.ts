import fc from 'fast-check';
import { splitsOf, type CompanyFactsAnswer } from '../../../../packs/finance/src/company-facts';

/** Diluted EPS of one year, as three filings in a row have it. */
function factorsOf(...eps: number[]): number[] {
  const entries = eps.map((val, index) => ({
    ...{ start: '2019-01-01', end: '2019-12-31', val, accn: String(index), fy: 2019, fp: 'FY', form: '10-K' },
    filed: `202${index}-02-01`,
  }));
  const facts = { 'us-gaap': { EarningsPerShareDiluted: { units: { 'USD/shares': entries } } } };
  return splitsOf({ facts } satisfies CompanyFactsAnswer).map(({ factor }) => factor);
}

const cents = (value: number) => Math.round(value * 100) / 100;

describe('a share split in restated earnings', () => {
  it.each([
    ['2-for-1', [3, 1.5], [2]],
    ['10-for-1', [1.74, 0.17], [10]],
    ['1-for-2', [1.5, 3], [1 / 2]],
    ['1-for-10', [0.17, 1.74], [1 / 10]],
    ['1-for-8, of a loss', [-0.31, -2.5], [1 / 8]],
    ['1-for-20, and then 1-for-10', [-0.05, -1, -10], [1 / 20, 1 / 10]],
  ])('is found: %s', (_name, eps, factors) => {
    expect(factorsOf(...eps)).toEqual(factors);
  });

  it.each([
    ['the same figure', [3, 3]],
    ['an ordinary restatement', [3, 2.9]],
    ['a factor between two whole ones', [1, 2.4]],
    ['3-for-2, which looks like an ordinary restatement', [3, 2]],
    ['a profit that became a loss', [2, -1]],
    ['a figure that became zero', [0.01, 0]],
    ['a figure that was zero', [0, 0.01]],
    ['zero', [0, 0]],
  ])('is not found: %s', (_name, eps) => {
    expect(factorsOf(...eps)).toEqual([]);
  });

  it('is found in both directions, whatever the rounding to cents', () => {
    const property = fc.property(
      fc.integer({ min: 2, max: 100 }),
      fc.double({ min: 0.3, max: 50, noNaN: true }),
      (factor, eps) => {
        expect(factorsOf(cents(eps * factor), cents(eps))).toHaveLength(1);
        expect(factorsOf(cents(-eps), cents(-eps * factor))).toHaveLength(1);
      },
    );
    fc.assert(property);
  });
});
