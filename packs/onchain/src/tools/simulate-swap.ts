/** Defines the tool `simulate_swap`, which asks the chain what a swap would give now. */
import { z } from 'zod';
import { defineTool } from 'holdfast/tools';
import { ADDRESS_PATTERN, AMOUNT_PATTERN, lessSlippage, priceImpactBps } from '../amounts';
import { tokenAddress } from '../address';
import { noChain } from '../chain';
import { withKnownTokensInHint, type KnownInputs } from '../known-inputs';
import { quote } from '../router';
import { targetOf, type Onchain } from '../onchain';
import { amount, checkPair, slippage, token } from './inputs';

/** Blocks come every few seconds: an older answer is useless. */
const TTL_MS = 2000;

/**
 * `{from_token, to_token, amount_in, max_slippage_bps}` → what swap_token would give now. Asks the chain by `eth_call`; sends
 * nothing.
 */
export function simulateSwap(onchain: Onchain | null, inputs: KnownInputs) {
  return defineTool({
    name: 'simulate_swap',
    version: '1.0.0',
    class: 'read',
    group: 'onchain',
    ...(onchain ? { target: targetOf(onchain) } : {}),
    description: {
      does: 'Asks the chain what a swap of one token for another would give right now. Nothing is sent and nothing is spent.',
      returns:
        'amount_out; simulated_min_out, the least that the slippage allows; price_impact_bps against the price before the swap, fee included; block_number and as_of.',
      useWhen: 'Before every swap_token, and when the user asks what a swap would give. Repeat it when the price has moved.',
      dontUseFor: 'Swapping, prices of listed companies, or history: it knows the present block only.',
      example:
        '{"from_token": "0x5FbDB2315678afecb367f032d93F642f64180aa3", "to_token": "0xe7f1725E7734CE288F8367e1Bb143E90bb3F0512", "amount_in": "1000000000000000000", "max_slippage_bps": 50}',
      warning: 'A quote is not a promise: other swaps move the price between this call and the next block.',
    },
    input: z.object({
      from_token: token('to sell', inputs),
      to_token: token('to buy', inputs),
      amount_in: amount('How much to sell'),
      max_slippage_bps: slippage,
    }),
    output: z.strictObject({
      from_token: z.string().regex(ADDRESS_PATTERN),
      to_token: z.string().regex(ADDRESS_PATTERN),
      amount_in: z.string().regex(AMOUNT_PATTERN),
      amount_out: z.string().regex(AMOUNT_PATTERN),
      simulated_min_out: z.string().regex(AMOUNT_PATTERN),
      price_impact_bps: z.number().int().min(0).max(10_000),
      fee_bps: z.literal(30),
      block_number: z.number().int().min(0),
      as_of: z.iso.datetime(),
    }),
    cacheTtlMs: TTL_MS,
    check: checkPair,
    async run({ from_token, to_token, amount_in, max_slippage_bps }, ctx) {
      if (!onchain) throw noChain();
      const pair = { from: tokenAddress(from_token), to: tokenAddress(to_token) };
      const answer = ctx.network(() =>
        onchain.chain.read(ctx.signal, async (client) => {
          const [latest] = await Promise.all([client.getBlock(), onchain.chain.approvedIdentity(client)]);
          return { block: latest, quoted: await quote(client, onchain.router, pair, BigInt(amount_in), latest.number) };
        }),
      );
      const { block, quoted } = await withKnownTokensInHint(inputs, answer);
      return {
        from_token,
        to_token,
        amount_in,
        amount_out: quoted.amountOut.toString(),
        simulated_min_out: lessSlippage(quoted.amountOut, max_slippage_bps).toString(),
        price_impact_bps: priceImpactBps(quoted),
        fee_bps: 30 as const,
        block_number: Number(block.number),
        as_of: new Date(Number(block.timestamp) * 1000).toISOString(),
      };
    },
  });
}
