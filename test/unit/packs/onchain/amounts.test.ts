import fc from 'fast-check';
import { AMOUNT_PATTERN, fitsUint256, lessSlippage, priceImpactBps } from '../../../../packs/onchain/src/amounts';

const big = fc.bigInt({ min: 1n, max: 2n ** 112n - 1n });

describe('amounts', () => {
  it('lose at most the slippage, to the unit', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: 2n ** 256n - 1n }), fc.integer({ min: 1, max: 500 }), (amount, bps) => {
        const kept = lessSlippage(amount, bps);
        expect(kept * 10_000n).toBeGreaterThanOrEqual(amount * BigInt(10_000 - bps));
        expect((kept - 1n) * 10_000n).toBeLessThan(amount * BigInt(10_000 - bps));
        expect(kept).toBeLessThanOrEqual(amount);
        expect(kept).toBeGreaterThanOrEqual(1n);
      }),
    );
  });

  it('have a price impact of at least the fee and at most everything', () => {
    fc.assert(
      fc.property(big, big, big, (amountIn, reserveIn, reserveOut) => {
        const amountOut = (amountIn * 997n * reserveOut) / (reserveIn * 1000n + amountIn * 997n);
        const impact = priceImpactBps({ amountIn, amountOut, reserveIn, reserveOut });
        expect(Number.isInteger(impact)).toBe(true);
        expect(impact).toBeGreaterThanOrEqual(30);
        expect(impact).toBeLessThanOrEqual(10_000);
      }),
    );
    expect(priceImpactBps({ amountIn: 100n, amountOut: 66n, reserveIn: 200n, reserveOut: 200n })).toBe(3400);
  });

  it.each(['0', '01', '-1', '1.5', '1e18', '0x10', '', ' 1', '1 ', '１', '9'.repeat(79)])('are no texts like %j', (text) => {
    expect(AMOUNT_PATTERN.test(text)).toBe(false);
  });

  it('stay below 2^256', () => {
    expect(fitsUint256((2n ** 256n - 1n).toString())).toBe(true);
    expect(fitsUint256((2n ** 256n).toString())).toBe(false);
  });
});
