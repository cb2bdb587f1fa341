/**
 * Plans a swap before anything is signed: checks whether it is allowed, and fixes what exactly would be sent. The contract itself
 * checks the session's limits, by `eth_call` of the same call that would be sent; it checks them again in the block.
 */
import { tokenAddress } from './address';
import type { Address } from './hex';
import { type PublicClient, viem } from './viem';
import { ToolError } from 'holdfast/tools';
import { lessSlippage } from './amounts';
import type { SwapPlan } from './journal';
import { quote, remainingAllowance, ROUTER_ABI, swapId, type Quote } from './router';
import type { Onchain } from './onchain';

export interface SwapInput {
  from_token: string;
  to_token: string;
  amount_in: string;
  max_slippage_bps: number;
  deadline_ts: number;
  session_key_id: string;
  simulated_min_out: string;
}

export interface SwapSimulation {
  account: Address;
  chainId: number;
  chain: string;
  quote: Quote;
  minOut: bigint;
  remaining: bigint;
  block: bigint;
  /** Wei. */
  baseFee: bigint;
  args: readonly [Address, Address, bigint, bigint, bigint, `0x${string}`];
}

/** What the swap would do now. @throws ToolError for every limit that it would break */
export async function simulateExactSwap(
  onchain: Onchain,
  client: PublicClient,
  input: SwapInput,
  idempotencyKey: string,
): Promise<SwapSimulation> {
  const { router, chain } = onchain;
  const { address: account } = await onchain.keys.get(input.session_key_id);
  const [block, { chainId, name }] = await Promise.all([client.getBlock(), chain.approvedIdentity(client)]);
  refuseLate(input.deadline_ts, block.timestamp);
  if (block.baseFeePerGas === null) throw noBaseFee();
  const pair = { from: tokenAddress(input.from_token), to: tokenAddress(input.to_token) };
  const swapQuote = await quote(client, router, pair, BigInt(input.amount_in), block.number);
  const minOut = agreedMinimum(input, swapQuote.amountOut);
  const args = [pair.from, pair.to, swapQuote.amountIn, minOut, BigInt(input.deadline_ts), swapId(idempotencyKey)] as const;
  const [remaining] = await Promise.all([
    remainingAllowance(client, router, account, pair.from, block.number),
    client.simulateContract({ address: router, abi: ROUTER_ABI, functionName: 'swap', args, account, blockNumber: block.number }),
  ]);
  const { number, baseFeePerGas: baseFee } = block;
  return { account, chainId, chain: name, quote: swapQuote, minOut, remaining, block: number, baseFee, args };
}

/** The swap without its nonce and signature. Costs are fixed here, so that every worker signs the same bytes. */
export async function planSwap(
  onchain: Onchain,
  client: PublicClient,
  input: SwapInput,
  idempotencyKey: string,
): Promise<SwapPlan> {
  const simulation = await simulateExactSwap(onchain, client, input, idempotencyKey);
  const { account, chainId, chain, minOut, block, baseFee, args } = simulation;
  const call = { address: onchain.router, abi: ROUTER_ABI, functionName: 'swap', args } as const;
  const [estimate, priorityFee, balance, fromNonce] = await Promise.all([
    client.estimateContractGas({ ...call, account, blockNumber: block }),
    client.estimateMaxPriorityFeePerGas(),
    client.getBalance({ address: account }),
    client.getTransactionCount({ address: account, blockTag: 'latest' }),
  ]);
  const gas = (estimate * 3n) / 2n; // the real cost depends on the state at execution
  const maxFee = 2n * baseFee + priorityFee; // a base fee rises by at most an eighth a block: this is enough for five blocks
  const cost = gas * maxFee;
  if (cost > onchain.maxGasCost) {
    const message = `The gas may cost ${cost} wei, more than the ${onchain.maxGasCost} that the settings allow.`;
    throw new ToolError('EXECUTION_ERROR', 'gas_too_expensive', message, {
      hint: 'Nothing was sent. Tell the user: gas may become cheaper, or an operator must raise HOLDFAST_EVM_MAX_GAS_COST.',
      nothingHappened: true,
    });
  }
  if (balance < cost) {
    throw new ToolError('EXECUTION_ERROR', 'no_gas_money', `The session key has ${balance} wei for gas and may need ${cost}.`, {
      hint: `Nothing was sent. An operator must send gas money to ${account}.`,
      nothingHappened: true,
    });
  }
  return {
    chain,
    chainId,
    account,
    router: onchain.router,
    data: viem().encodeFunctionData(call),
    gas: gas.toString(),
    maxFeePerGas: maxFee.toString(),
    maxPriorityFeePerGas: priorityFee.toString(),
    fromNonce,
    deadline: String(input.deadline_ts),
    minOut: minOut.toString(),
    block: block.toString(),
  };
}

function noBaseFee(): ToolError {
  return new ToolError('EXECUTION_ERROR', 'no_base_fee', 'The chain has no base fee (EIP-1559).', {
    hint: 'Nothing was sent. Swaps need a chain with EIP-1559.',
    nothingHappened: true,
  });
}

/** The larger of the simulated minimum (which was approved) and of the present quote less the slippage. */
function agreedMinimum(input: SwapInput, amountOut: bigint): bigint {
  const simulatedMin = BigInt(input.simulated_min_out);
  const present = lessSlippage(amountOut, input.max_slippage_bps);
  if (amountOut < simulatedMin) {
    throw new ToolError(
      'INVALID_PARAMS',
      'price_moved',
      `The swap would give ${amountOut} now, less than simulated_min_out ${simulatedMin}.`,
      {
        hint: 'Nothing was swapped. Call simulate_swap again, and ask for the swap with its new simulated_min_out.',
        nothingHappened: true,
      },
    );
  }
  return simulatedMin > present ? simulatedMin : present;
}

/** Checks the deadline against our clock and the chain's. */
function refuseLate(deadline: number, blockTime: bigint): void {
  const now = Math.max(Math.floor(Date.now() / 1000), Number(blockTime));
  if (deadline > now) return;
  throw new ToolError('INVALID_PARAMS', 'deadline_passed', `deadline_ts ${deadline} has passed: it is ${now}.`, {
    hint: 'Nothing was swapped. Simulate again, and set a later deadline_ts.',
    nothingHappened: true,
  });
}
