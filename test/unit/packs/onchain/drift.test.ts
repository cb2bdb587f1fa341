import { isWithinSlippage } from '../../../../packs/onchain/src/preview';

const shown = (units: bigint, left = '900 units left before, 800 units after') =>
  [
    'One swap on chain 31337, which cannot be taken back',
    `  at present    1.5 (${units} units)`,
    '  at least      1.4 (1400 units); else nothing is swapped',
    `  price impact  ${units % 100n} bps, fee included; slippage 50 bps`,
    `  allowance     ${left}`,
    "  gas           at most 1 (1000000000000000000 wei) of the chain's coin",
  ].join('\n');

describe('a swap that is simulated again before the effect', () => {
  it.each<[bigint, boolean]>([
    [1_000_000n, true],
    [995_000n, true],
    [1_005_000n, true],
    [994_999n, false],
    [1_005_001n, false],
  ])('at %s units instead of 1,000,000 with 50 bps: it continues: %s', (units, expected) => {
    expect(isWithinSlippage(shown(1_000_000n), shown(units), 50)).toBe(expected);
  });

  it('is asked about again if anything but the price has changed, or if nothing can be read', () => {
    const asked = shown(1_000_000n);
    expect(isWithinSlippage(asked, shown(1_000_000n, '800 units left before, 700 units after'), 50)).toBe(false);
    expect(isWithinSlippage(asked, asked.replace('31337', '1'), 50)).toBe(false);
    expect(isWithinSlippage(asked, asked.replace('at most 1 (1', 'at most 2 (2'), 50)).toBe(false);
    expect(isWithinSlippage('no price', 'no price', 50)).toBe(false);
    expect(isWithinSlippage({ asked }, asked, 50)).toBe(false);
  });
});
