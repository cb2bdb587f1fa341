/**
 * Finds out what became of a signed swap, from the contract's own record and one block. In that block either the swap's id is
 * marked as done, or its nonce is used or its deadline over; then the swap can never happen any more.
 */
import type { Hex } from './hex';
import { type PublicClient, type TransactionReceipt, viem } from './viem';
import { ToolError } from 'holdfast/tools';
import type { SignedSwap, SwapPlan } from './journal';
import { revertFailure } from './revert';
import { ROUTER_ABI, swapId } from './router';

export interface SwapReceipt {
  txHash: Hex;
  blockNumber: bigint;
  amountIn: bigint;
  amountOut: bigint;
}

export type SwapOutcome =
  | { state: 'applied'; receipt: SwapReceipt }
  /** Proof that it has not happened and never will. */
  | { state: 'not_applied'; error: ToolError }
  | { state: 'unknown' };

/** One check; changes nothing. @throws the node's errors */
export async function findSwapOutcome(
  client: PublicClient,
  plan: SwapPlan,
  signedSwap: SignedSwap,
  confirmations: number,
): Promise<SwapOutcome> {
  const latest = await client.getBlockNumber();
  const depth = BigInt(confirmations - 1);
  const blockNumber = latest > depth ? latest - depth : 0n;
  const id = swapId(signedSwap.key);
  const [block, isDone, nonce] = await Promise.all([
    client.getBlock({ blockNumber }),
    client.readContract({
      address: plan.router,
      abi: ROUTER_ABI,
      functionName: 'swapped',
      args: [plan.account, id],
      blockNumber,
    }),
    client.getTransactionCount({ address: plan.account, blockNumber }),
  ]);
  if (isDone) {
    const receipt = await receiptOf(client, plan, signedSwap);
    return receipt ? { state: 'applied', receipt } : { state: 'unknown' }; // another node, which lags behind, answered
  }
  if (nonce > signedSwap.nonce) return { state: 'not_applied', error: await whyNot(client, plan, signedSwap) };
  if (block.timestamp > BigInt(plan.deadline))
    return { state: 'not_applied', error: revertFailure('DeadlinePassed', [plan.deadline]) };
  return { state: 'unknown' };
}

/** Receipt of our transaction, or of another one that did the swap under the same id. */
async function receiptOf(client: PublicClient, plan: SwapPlan, signedSwap: SignedSwap): Promise<SwapReceipt | null> {
  const receipt = await findReceipt(client, signedSwap.hash);
  const logs =
    receipt?.status === 'success'
      ? viem().parseEventLogs({ abi: ROUTER_ABI, eventName: 'Swapped', logs: receipt.logs })
      : await client.getContractEvents({
          address: plan.router,
          abi: ROUTER_ABI,
          eventName: 'Swapped',
          args: { key: plan.account, id: swapId(signedSwap.key) },
          fromBlock: BigInt(plan.block),
          strict: true,
        });
  const event = logs.find(
    ({ args, address }) => args.id === swapId(signedSwap.key) && address.toLowerCase() === plan.router.toLowerCase(),
  );
  if (!event) return null;
  const { amountIn, amountOut } = event.args;
  return { txHash: event.transactionHash, blockNumber: event.blockNumber, amountIn, amountOut };
}

async function whyNot(client: PublicClient, plan: SwapPlan, signedSwap: SignedSwap): Promise<ToolError> {
  const receipt = await findReceipt(client, signedSwap.hash);
  if (receipt) return revertReason(client, plan, receipt.blockNumber);
  return new ToolError(
    'EXECUTION_ERROR',
    'nonce_used_elsewhere',
    `Another transaction has used nonce ${signedSwap.nonce} of ${plan.account}.`,
    {
      hint: 'Nothing was swapped. Is the session key used by another program?',
      nothingHappened: true,
    },
  );
}

/** Chains store no reasons: the call is repeated by `eth_call`, on the state after its block and before it. */
async function revertReason(client: PublicClient, plan: SwapPlan, block: bigint): Promise<ToolError> {
  for (const blockNumber of [block, block - 1n]) {
    try {
      await client.call({ account: plan.account, to: plan.router, data: plan.data, blockNumber });
    } catch (error) {
      const data = revertData(error);
      if (data === null) throw error;
      return decodeRevert(data);
    }
  }
  return revertFailure('', []);
}

function revertData(error: unknown): Hex | null {
  if (!(error instanceof viem().BaseError)) return null;
  const source = error.walk((cause) => typeof (cause as { data?: unknown }).data === 'string');
  const data = (source as { data?: unknown } | null)?.data;
  return typeof data === 'string' && /^0x[0-9a-f]*$/i.test(data) ? (data as Hex) : null;
}

function decodeRevert(data: Hex): ToolError {
  try {
    const { errorName, args } = viem().decodeErrorResult({ abi: ROUTER_ABI, data });
    return revertFailure(errorName, args ?? []);
  } catch {
    return revertFailure('', [], data.slice(0, 74));
  }
}

async function findReceipt(client: PublicClient, hash: Hex): Promise<TransactionReceipt | null> {
  try {
    return await client.getTransactionReceipt({ hash });
  } catch (error) {
    if (error instanceof viem().BaseError && error.name === 'TransactionReceiptNotFoundError') return null;
    throw error;
  }
}
