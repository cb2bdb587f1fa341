/** Defines the tool `swap_token`, which swaps tokens on the chain after a person has approved the call. */
import { z } from 'zod';
import { type CheckFault, defineTool } from 'holdfast/tools';
import { ADDRESS_PATTERN, AMOUNT_PATTERN, fitsUint256 } from '../amounts';
import { noChain } from '../chain';
import { executeSwap, reconcileSwap, type SwapExecution } from '../execute';
import { knownSessionKeys, withKnownTokensInHint, type KnownInputs } from '../known-inputs';
import { simulateExactSwap, type SwapInput } from '../plan';
import { isWithinSlippage, swapPreview } from '../preview';
import { accountTargetOf, type Onchain } from '../onchain';
import { amount, checkPair, slippage, token } from './inputs';

/** Longest time from the call to the deadline, seconds. */
const LONGEST_DEADLINE = 3600;
/**
 * How long the engine probes before it asks a person. By then every deadline has passed, and the chain's answer is final: a person
 * who looks earlier sees no more.
 */
const RECONCILE_MS = (LONGEST_DEADLINE + 300) * 1000;
/** Longer than one attempt waits for the chain (settings.ts), with time for the requests before. */
const TIMEOUT_MS = 90_000;

/**
 * `{from_token, to_token, amount_in, max_slippage_bps, deadline_ts, session_key_id, simulated_min_out}` → a swap in a block.
 * Idempotent: the same key broadcasts the same signed bytes (execute.ts), so the engine may repeat the call after a crash.
 * @param now Unix time, ms
 */
export function swapToken(onchain: Onchain | null, inputs: KnownInputs, now: () => number = Date.now) {
  return defineTool({
    name: 'swap_token',
    version: '1.0.0',
    class: 'destructive',
    group: 'onchain',
    ...(onchain ? { target: ({ session_key_id }: SwapInput) => accountTargetOf(onchain, session_key_id) } : {}),
    egress: true,
    idempotent: true,
    timeoutMs: TIMEOUT_MS,
    description: {
      does: 'Swaps one token for another on the chain, out of the wallet that lent the session key. It spends real funds and cannot be taken back.',
      returns:
        'tx_hash and block_number of the block that has it; amount_in spent; amount_out received by the owner of the session.',
      useWhen:
        'The user asked for this pair and this amount, and simulate_swap has just shown what it gives. Pass its simulated_min_out on as it is.',
      dontUseFor:
        'Trying what a swap gives (simulate_swap), sending tokens to somebody, or swapping again after a call in doubt.',
      example:
        '{"from_token": "0x5FbDB2315678afecb367f032d93F642f64180aa3", "to_token": "0xe7f1725E7734CE288F8367e1Bb143E90bb3F0512", "amount_in": "1000000000000000000", "max_slippage_bps": 50, "deadline_ts": 1800000000, "session_key_id": "demo", "simulated_min_out": "1980000000000000000"}',
      warning:
        'DESTRUCTIVE. Calling it asks a person, who sees amounts, price and allowance and decides. No field of yours approves it. If it is denied, do not try again with other amounts; if its outcome is in doubt, say so.',
    },
    input: z.object({
      from_token: token('to sell', inputs),
      to_token: token('to buy', inputs),
      amount_in: amount('How much to sell'),
      max_slippage_bps: slippage,
      deadline_ts: z
        .number()
        .int()
        .min(1)
        .max(99_999_999_999)
        .describe(
          'Unix time in seconds, within the next hour; nothing is swapped after it. A person has to decide before: leave time',
        ),
      session_key_id: z
        .string()
        .regex(/^[a-z0-9][a-z0-9_-]{0,63}$/)
        .describe(`Id of the session key to use, as the user or the operator named it.${knownSessionKeys(inputs)}`),
      simulated_min_out: amount('simulated_min_out of simulate_swap for the same pair and amount'),
    }),
    output: z.strictObject({
      tx_hash: z.string().regex(/^0x[0-9a-f]{64}$/),
      block_number: z.number().int().min(0),
      from_token: z.string().regex(ADDRESS_PATTERN),
      to_token: z.string().regex(ADDRESS_PATTERN),
      amount_in: z.string().regex(AMOUNT_PATTERN),
      amount_out: z.string().regex(AMOUNT_PATTERN),
      min_out: z.string().regex(AMOUNT_PATTERN),
      session_key_id: z.string(),
    }),
    ruleTarget: { kind: 'text', of: ({ from_token, to_token }) => `${from_token}→${to_token}`.toLowerCase() },
    check: (input) => checkPair(input) ?? checkMinimum(input) ?? checkDeadline(input, now()),
    intentKey: ({ session_key_id, from_token, to_token, amount_in }) => ({
      session_key_id,
      from_token: from_token.toLowerCase(),
      to_token: to_token.toLowerCase(),
      amount_in: BigInt(amount_in).toString(),
    }),
    previewTolerance: (before, now, { max_slippage_bps }) => isWithinSlippage(before, now, max_slippage_bps),
    async preview(input, ctx) {
      if (!onchain) throw noChain();
      const answer = onchain.chain.read(ctx.signal, async (client) =>
        swapPreview(onchain, client, input, await simulateExactSwap(onchain, client, input, ctx.idempotencyKey)),
      );
      return withKnownTokensInHint(inputs, answer);
    },
    async run(input, ctx) {
      if (!onchain) throw noChain();
      return toSwapResult(input, await withKnownTokensInHint(inputs, executeSwap(onchain, input, ctx)));
    },
    reconcileMs: RECONCILE_MS,
    async reconcile(input, ctx) {
      if (!onchain) throw noChain();
      const finding = await reconcileSwap(onchain, ctx);
      const { outcome, evidence } = finding;
      return { outcome, evidence, ...(finding.outcome === 'applied' ? { data: toSwapResult(input, finding.execution) } : {}) };
    },
  });
}

function toSwapResult(input: SwapInput, { receipt, plan }: SwapExecution) {
  return {
    tx_hash: receipt.txHash,
    block_number: Number(receipt.blockNumber),
    from_token: input.from_token,
    to_token: input.to_token,
    amount_in: receipt.amountIn.toString(),
    amount_out: receipt.amountOut.toString(),
    min_out: plan.minOut,
    session_key_id: input.session_key_id,
  };
}

function checkMinimum({ simulated_min_out }: SwapInput): CheckFault | undefined {
  if (fitsUint256(simulated_min_out)) return undefined;
  const hint = 'Pass on what simulate_swap returned.';
  return { reason: 'amount_too_large', message: `simulated_min_out ${simulated_min_out} is 2^256 or more.`, hint };
}

function checkDeadline({ deadline_ts }: SwapInput, nowMs: number): CheckFault | undefined {
  const now = Math.floor(nowMs / 1000);
  const hint = `Set it between ${now + 60} and ${now + LONGEST_DEADLINE}.`;
  if (deadline_ts <= now)
    return { reason: 'deadline_passed', message: `deadline_ts ${deadline_ts} has passed: it is ${now}.`, hint };
  if (deadline_ts > now + LONGEST_DEADLINE)
    return { reason: 'deadline_too_far', message: `deadline_ts ${deadline_ts} is more than an hour away: it is ${now}.`, hint };
  return undefined;
}
