/**
 * Renders the preview that the approver of a swap reads. It has no block number and no time of day, so that the same state gives
 * the same text.
 */
import type { Json } from 'holdfast/tools';
import type { Address } from './hex';
import { type PublicClient, viem } from './viem';
import { priceImpactBps } from './amounts';
import type { Onchain } from './onchain';
import type { SwapSimulation, SwapInput } from './plan';

export async function swapPreview(
  { maxGasCost }: Onchain,
  client: PublicClient,
  input: SwapInput,
  simulation: SwapSimulation,
): Promise<string> {
  const [from, to] = await Promise.all([describeToken(client, simulation.args[0]), describeToken(client, simulation.args[1])]);
  const rest = simulation.remaining - simulation.quote.amountIn;
  const lines = [
    ['session key', `${input.session_key_id} (${simulation.account})`],
    ['sells', `${from.amount(simulation.quote.amountIn)} of ${from.name}`],
    ['buys', to.name],
    ['at present', to.amount(simulation.quote.amountOut)],
    ['at least', `${to.amount(BigInt(input.simulated_min_out))}; else nothing is swapped`],
    ['price impact', `${priceImpactBps(simulation.quote)} bps, fee included; slippage ${input.max_slippage_bps} bps`],
    ['allowance', `${from.amount(simulation.remaining)} left before, ${from.amount(rest)} after`],
    ['gas', `at most ${viem().formatEther(maxGasCost)} (${maxGasCost} wei) of the chain's coin`],
    ['deadline', new Date(input.deadline_ts * 1000).toISOString()],
  ];
  const width = Math.max(...lines.map(([name]) => name!.length));
  const text = lines.map(([name, value]) => `  ${name!.padEnd(width)}  ${value}`);
  return [`One swap on chain ${simulation.chainId}, which cannot be taken back`, ...text].join('\n');
}

/** Lines that change with the price; a change in any other line changes what was agreed to. */
const PRICE = /^  at present {2,}.*?(\d+) units\)?$/m;
const MOVES = /^  (?:at present|price impact) .*$/gm;

/** Whether only the price has changed, and by no more than the agreed slippage. */
export function isWithinSlippage(approvedText: Json, now: Json, slippageBps: number): boolean {
  if (typeof approvedText !== 'string' || typeof now !== 'string') return false;
  if (approvedText.replaceAll(MOVES, '') !== now.replaceAll(MOVES, '')) return false;
  const [before, after] = [approvedText, now].map((text) => PRICE.exec(text)?.[1]);
  if (before === undefined || after === undefined) return false;
  const change = BigInt(after) - BigInt(before);
  return (change < 0n ? -change : change) * 10_000n <= BigInt(before) * BigInt(slippageBps);
}

/** A token's author chooses its symbol freely: it is shown only if it is harmless, and never instead of the address. */
async function describeToken(client: PublicClient, address: Address) {
  const read = <N extends 'symbol' | 'decimals'>(functionName: N) =>
    client.readContract({ address, abi: viem().erc20Abi, functionName }).catch(() => null);
  const [symbol, decimals] = await Promise.all([read('symbol'), read('decimals')]);
  const symbolText = typeof symbol === 'string' && /^[A-Za-z0-9.$_-]{1,12}$/.test(symbol) ? symbol : null;
  const places = typeof decimals === 'number' && decimals <= 36 ? decimals : null;
  return {
    name: symbolText === null ? address : `${symbolText} (${address})`,
    amount: (units: bigint) => (places === null ? `${units} units` : `${viem().formatUnits(units, places)} (${units} units)`),
  };
}
