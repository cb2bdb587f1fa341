/** Token amounts: whole numbers of the token's smallest unit, text outside and BigInt inside; never floats. */

const BPS = 10_000n;
/** The EVM's largest number. */
const MAX_UINT256 = 2n ** 256n - 1n;

/** A positive integer without leading zeros; up to 78 digits, so callers still have to compare it with 2^256. */
export const AMOUNT_PATTERN = /^[1-9][0-9]{0,77}$/;
/** 20 bytes, hexadecimal, in any case. */
export const ADDRESS_PATTERN = /^0x[a-fA-F0-9]{40}$/;

export function fitsUint256(amount: string): boolean {
  return BigInt(amount) <= MAX_UINT256;
}

/** What is left of an amount after the slippage, rounded up, so that it is never a unit less than agreed. */
export function lessSlippage(amount: bigint, slippageBps: number): bigint {
  const product = amount * (BPS - BigInt(slippageBps));
  return (product + BPS - 1n) / BPS;
}

/**
 * How much worse the swap is than the pool's price before it, in basis points, rounded up. The fee is included. With reserves x and
 * y, that price gives `amountIn * y / x`.
 */
export function priceImpactBps(swap: { amountIn: bigint; amountOut: bigint; reserveIn: bigint; reserveOut: bigint }): number {
  const ideal = swap.amountIn * swap.reserveOut;
  const difference = ideal - swap.amountOut * swap.reserveIn;
  return Number((difference * BPS + ideal - 1n) / ideal);
}
