import fc from 'fast-check';
import { summarize } from '../../../../packs/finance/src/stats';
import { endThreads } from '../../../../src/tools/isolation/pool';
import { call } from '../../../support/packs/finance/support';

afterAll(() => endThreads());

const near = (a: number, b: number, scale: number) => Math.abs(a - b) <= 1e-9 * Math.max(1, scale);

describe('stats_summary', () => {
  it('gives the sample standard deviation and the median', async () => {
    const result = await call('stats_summary', { values: [2, 4, 4, 4, 5, 5, 7, 9] });
    expect(result).toMatchObject({ n: 8, mean: 5, min: 2, max: 9, median: 4.5 });
    expect(result.stdev).toBeCloseTo(Math.sqrt(32 / 7), 12);
  });

  it('gives no spread for a single value', async () => {
    expect(await call('stats_summary', { values: [42] })).toEqual({ n: 1, mean: 42, stdev: 0, min: 42, max: 42, median: 42 });
  });

  it('agrees with the plain formulas', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: -1e6, max: 1e6, noNaN: true }), { minLength: 2, maxLength: 60 }), (values) => {
        const mean = values.reduce((a, b) => a + b, 0) / values.length;
        const stdev = Math.sqrt(values.reduce((sum, x) => sum + (x - mean) ** 2, 0) / (values.length - 1));
        const got = summarize(values);
        expect(near(got.mean, mean, 1e6) && near(got.stdev, stdev, 1e6)).toBe(true);
        // 0 and -0 are one number to JSON, and to `===`.
        expect(got.min === Math.min(...values) && got.max === Math.max(...values)).toBe(true);
      }),
    );
  });

  it('stays finite and within the range for numbers of any size', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ noNaN: true, noDefaultInfinity: true }), { minLength: 1, maxLength: 20 }), (values) => {
        const { mean, stdev, median, min, max } = summarize(values);
        for (const x of [mean, median]) expect(x >= min && x <= max).toBe(true);
        if (Math.max(Math.abs(min), Math.abs(max)) < 1e307) expect(Number.isFinite(stdev)).toBe(true);
      }),
    );
  });

  it('keeps a small spread on a large offset', () => {
    expect(summarize([1e9 + 4, 1e9 + 7, 1e9 + 13, 1e9 + 16]).stdev).toBeCloseTo(Math.sqrt(30), 6);
    expect(summarize([1e300, 3e300]).stdev / 1e300).toBeCloseTo(Math.SQRT2, 12);
    expect(summarize([1e-300, 3e-300]).stdev / 1e-300).toBeCloseTo(Math.SQRT2, 12);
  });

  it('takes 1 to 10,000 values', async () => {
    expect((await call('stats_summary', { values: Array(10_000).fill(1) })).n).toBe(10_000);
    await expect(call('stats_summary', { values: [] })).rejects.toThrow('schema');
    await expect(call('stats_summary', { values: Array(10_001).fill(1) })).rejects.toThrow('schema');
  });
});
