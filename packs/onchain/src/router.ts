/** Reads of the router contract: quotes, remaining allowances, and the ids of swaps. */
import type { Address, Hex } from './hex';
import { type PublicClient, viem } from './viem';
import { ToolError } from 'holdfast/tools';
import { POOL, SESSION_ROUTER, TEST_TOKEN } from './contracts/artifacts';

/** With the errors of the contracts that the router calls, so that they can be decoded. */
export const ROUTER_ABI = [...SESSION_ROUTER.abi, ...errorsOf(POOL.abi), ...errorsOf(TEST_TOKEN.abi)] as const;

export interface Pair {
  from: Address;
  to: Address;
}

export interface Quote {
  amountIn: bigint;
  amountOut: bigint;
  reserveIn: bigint;
  reserveOut: bigint;
}

/** What a swap would give at this block, by `eth_call`. */
export async function quote(
  client: PublicClient,
  router: Address,
  { from, to }: Pair,
  amountIn: bigint,
  blockNumber: bigint,
): Promise<Quote> {
  const args = [from, to, amountIn] as const;
  const [amountOut, reserveIn, reserveOut] = await client.readContract({ address: router, abi: ROUTER_ABI, functionName: 'quote', args, blockNumber }); // oxfmt-ignore
  if (amountOut === 0n) {
    throw new ToolError('INVALID_PARAMS', 'amount_too_small', `Swapping ${amountIn} would give nothing.`, {
      hint: 'amount_in is in the smallest unit of from_token: with 18 decimals, one token is 1000000000000000000.',
      nothingHappened: true,
    });
  }
  return { amountIn, amountOut, reserveIn, reserveOut };
}

/** What a session may still spend of a token. */
export function remainingAllowance(
  client: PublicClient,
  router: Address,
  key: Address,
  token: Address,
  blockNumber: bigint,
): Promise<bigint> {
  return client.readContract({ address: router, abi: ROUTER_ABI, functionName: 'remaining', args: [key, token], blockNumber });
}

/** The id of a swap on the chain; the router executes an id once. */
export function swapId(idempotencyKey: string): Hex {
  return viem().keccak256(viem().toBytes(idempotencyKey));
}

function errorsOf<A extends readonly { type: string }[]>(abi: A): Extract<A[number], { type: 'error' }>[] {
  return abi.filter((item) => item.type === 'error') as Extract<A[number], { type: 'error' }>[];
}
