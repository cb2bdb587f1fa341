/**
 * Renders the preview that the approver of a swap reads. It has no block number and no time of day, so that the same state gives
 * the same text.
 */
import type { Json } from 'holdfast/tools';
import type { Address } from './hex';
import { type PublicClient, viem } from './viem';
import { priceImpactBps } from './amounts';
import type { SwapSimulation, SwapInput } from './plan';

export async function swapPreview(client: PublicClient, input: SwapInput, seen: SwapSimulation): Promise<string> {
  const [from, to] = await Promise.all([describeToken(client, seen.args[0]), describeToken(client, seen.args[1])]);
  const left = seen.remaining - seen.quote.amountIn;
  const lines = [
    ['session key', `${input.session_key_id} (${seen.account})`],
    ['sells', `${from.amount(seen.quote.amountIn)} of ${from.name}`],
    ['buys', to.name],
    ['at present', to.amount(seen.quote.amountOut)],
    ['at least', `${to.amount(BigInt(input.simulated_min_out))}; else nothing is swapped`],
    ['price impact', `${priceImpactBps(seen.quote)} bps, fee included; slippage ${input.max_slippage_bps} bps`],
    ['allowance', `${from.amount(seen.remaining)} left before, ${from.amount(left)} after`],
    ['deadline', new Date(input.deadline_ts * 1000).toISOString()],
  ];
  const width = Math.max(...lines.map(([name]) => name!.length));
  const text = lines.map(([name, value]) => `  ${name!.padEnd(width)}  ${value}`);
  return [`One swap on chain ${seen.chainId}, which cannot be taken back`, ...text].join('\n');
}

/** Lines that change with the price; a change in any other line changes what was agreed to. */
const PRICE = /^  at present {2,}.*?(\d+) units\)?$/m;
const MOVES = /^  (?:at present|price impact) .*$/gm;

/** Whether only the price has changed, and by no more than the agreed slippage. */
export function isWithinSlippage(asked: Json, now: Json, slippageBps: number): boolean {
  if (typeof asked !== 'string' || typeof now !== 'string') return false;
  if (asked.replaceAll(MOVES, '') !== now.replaceAll(MOVES, '')) return false;
  const [before, after] = [asked, now].map((text) => PRICE.exec(text)?.[1]);
  if (before === undefined || after === undefined) return false;
  const moved = BigInt(after) - BigInt(before);
  return (moved < 0n ? -moved : moved) * 10_000n <= BigInt(before) * BigInt(slippageBps);
}

/** A token's author chooses its symbol freely: it is shown only if it is harmless, and never instead of the address. */
async function describeToken(client: PublicClient, address: Address) {
  const read = <N extends 'symbol' | 'decimals'>(functionName: N) =>
    client.readContract({ address, abi: viem().erc20Abi, functionName }).catch(() => null);
  const [symbol, decimals] = await Promise.all([read('symbol'), read('decimals')]);
  const known = typeof symbol === 'string' && /^[A-Za-z0-9.$_-]{1,12}$/.test(symbol) ? symbol : null;
  const places = typeof decimals === 'number' && decimals <= 36 ? decimals : null;
  return {
    name: known === null ? address : `${known} (${address})`,
    amount: (units: bigint) => (places === null ? `${units} units` : `${viem().formatUnits(units, places)} (${units} units)`),
  };
}
