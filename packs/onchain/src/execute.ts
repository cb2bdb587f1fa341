/**
 * Executes one swap per idempotency key, however often it is called: decides once, signs once, and broadcasts the same bytes until
 * the chain shows the result. A failure before the signature proves that nothing has happened. After it only the chain proves
 * anything, because anyone who finds the bytes may broadcast them.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { type PublicClient, viem } from './viem';
import { type ErrorCode, isToolError, type ToolContext, ToolError } from 'holdfast/tools';
import type { Decision, SignedSwap, SwapPlan } from './journal';
import { planSwap, type SwapInput } from './plan';
import { findSwapOutcome, type SwapReceipt } from './probe';
import { describeNodeError } from './rpc-failure';
import type { Onchain } from './onchain';

const FIRST_POLL = 100;
const LONGEST_POLL = 4000;

export interface SwapExecution {
  receipt: SwapReceipt;
  plan: SwapPlan;
}

export type SwapFinding =
  | { outcome: 'applied'; evidence: string; execution: SwapExecution }
  | { outcome: 'not_applied' | 'unknown'; evidence: string };

export async function executeSwap(onchain: Onchain, input: SwapInput, ctx: ToolContext): Promise<SwapExecution> {
  const key = ctx.idempotencyKey;
  const decision = (await onchain.journal.decided(key)) ?? (await decide(onchain, input, ctx));
  if ('refused' in decision) throw refusal(decision.refused);
  const { plan } = decision;
  const account = await onchain.keys.get(input.session_key_id);
  if (account.address.toLowerCase() !== plan.account.toLowerCase())
    throw inDoubt('other_key', `${input.session_key_id} is another key than when it was planned.`);
  const signedSwap = await onchain.journal.signed(key, plan, async (nonce) => {
    const raw = await account.signTransaction({
      type: 'eip1559',
      chainId: plan.chainId,
      nonce,
      to: plan.router,
      data: plan.data,
      gas: BigInt(plan.gas),
      maxFeePerGas: BigInt(plan.maxFeePerGas),
      maxPriorityFeePerGas: BigInt(plan.maxPriorityFeePerGas),
    });
    return { raw, hash: viem().keccak256(raw) };
  });
  ctx.debug({ tx_hash: signedSwap.hash, nonce: signedSwap.nonce });
  ctx.progress(`broadcasting ${signedSwap.hash}`, 0.5);
  return { receipt: await ctx.network(() => broadcastToOutcome(onchain, plan, signedSwap, ctx)), plan };
}

/**
 * Finds out what became of the call with this key; sends nothing. A key without a plan is recorded as abandoned in the journal.
 * Otherwise a worker that was cut off could wake up and plan the swap after this function has answered that nothing happened. So
 * use it only for a call that was dispatched and lost, and that the engine will not dispatch again.
 */
export async function reconcileSwap(onchain: Onchain, ctx: Pick<ToolContext, 'idempotencyKey' | 'signal'>): Promise<SwapFinding> {
  const { idempotencyKey: key, signal } = ctx;
  const abandonment = { code: 'EXECUTION_ERROR', reason: 'abandoned', message: 'The swap was given up before it was signed.' };
  const decision = await onchain.journal.decide(key, { refused: abandonment });
  if ('refused' in decision) return { outcome: 'not_applied', evidence: decision.refused.message };
  const { plan } = decision;
  const signedSwap = await findSignedSwap(onchain, key, plan);
  const until = `until ${new Date(Number(plan.deadline) * 1000).toISOString()} it may happen`;
  return onchain.chain.read(signal, async (client) => {
    await sameChain(onchain, client, plan);
    if (!signedSwap) {
      const { timestamp } = await client.getBlock();
      if (timestamp > BigInt(plan.deadline)) return { outcome: 'not_applied', evidence: 'It was planned and never signed.' };
      return { outcome: 'unknown', evidence: `It is planned and not signed; ${until}.` }; // its planner may be about to sign it
    }
    const fate = await findSwapOutcome(client, plan, signedSwap, onchain.confirmations);
    if (fate.state === 'applied') {
      const { txHash, blockNumber } = fate.receipt;
      return { outcome: 'applied', evidence: `Transaction ${txHash} in block ${blockNumber}.`, execution: { ...fate, plan } };
    }
    if (fate.state === 'not_applied') return { outcome: 'not_applied', evidence: fate.error.message };
    return { outcome: 'unknown', evidence: `Transaction ${signedSwap.hash} is signed but not in a confirmed block; ${until}.` };
  });
}

/** A permanent refusal is recorded too, so that no other worker signs for this call afterwards. */
async function decide(onchain: Onchain, input: SwapInput, ctx: ToolContext): Promise<Decision> {
  const key = ctx.idempotencyKey;
  try {
    const work = (client: PublicClient) => planSwap(onchain, client, input, key);
    const plan = await ctx.network(() => onchain.chain.read(ctx.signal, work));
    return await onchain.journal.decide(key, { plan });
  } catch (error) {
    if (!isToolError(error) || error.detail.retryable || !error.nothingHappened) throw error;
    const { code, reason, message, hint } = error.detail;
    return onchain.journal.decide(key, { refused: { code, reason, message, ...(hint === undefined ? {} : { hint }) } });
  }
}

function refusal({ code, reason, message, hint }: Extract<Decision, { refused: unknown }>['refused']): ToolError {
  return new ToolError(code as ErrorCode, reason, message, { ...(hint === undefined ? {} : { hint }), nothingHappened: true });
}

async function findSignedSwap({ journal }: Onchain, key: string, plan: SwapPlan): Promise<SignedSwap | null> {
  for (let nonce = plan.fromNonce; ; nonce++) {
    const there = await journal.signedAt(plan, nonce);
    if (there === null || there.key === key) return there;
  }
}

/** Broadcasts and polls until the chain has decided or the time is over. */
async function broadcastToOutcome(
  onchain: Onchain,
  plan: SwapPlan,
  signedSwap: SignedSwap,
  ctx: ToolContext,
): Promise<SwapReceipt> {
  const client = onchain.chain.client(ctx.signal);
  const until = Date.now() + onchain.waitMs;
  let trouble: { code: ErrorCode; detail: string } | null;
  for (let pause = FIRST_POLL; ; pause = Math.min(LONGEST_POLL, pause * 1.5)) {
    try {
      await sameChain(onchain, client, plan);
      const refusal = await broadcast(onchain, client, plan, signedSwap);
      const fate = await findSwapOutcome(client, plan, signedSwap, onchain.confirmations);
      if (fate.state === 'applied') return fate.receipt;
      if (fate.state === 'not_applied') throw fate.error;
      trouble = {
        code: 'TIMEOUT',
        detail: refusal === null ? 'no block has it yet' : `the node said ${JSON.stringify(refusal)}`,
      };
    } catch (error) {
      if (isToolError(error)) throw error;
      trouble = { code: 'NETWORK_ERROR', detail: describeNodeError(error, onchain.chain.url) };
    }
    if (ctx.signal.aborted || Date.now() + pause > until) {
      const message = `Transaction ${signedSwap.hash} is signed, and its outcome is not known yet: ${trouble.detail}.`;
      throw inDoubt('swap_not_settled', message, trouble.code);
    }
    await wait(pause);
  }
}

/**
 * Sends the transaction, and those with earlier nonces that a killed worker may not have sent, because the chain takes them in
 * order. The node knows most of them already, and says so.
 * @returns the node's refusal of our transaction; null: it was accepted
 */
async function broadcast(
  { journal, chain }: Onchain,
  client: PublicClient,
  plan: SwapPlan,
  signedSwap: SignedSwap,
): Promise<string | null> {
  let refusal: string | null = null;
  const next = await client.getTransactionCount({ address: plan.account, blockTag: 'latest' });
  for (let nonce = next; nonce <= signedSwap.nonce; nonce++) {
    const there = await journal.signedAt(plan, nonce);
    if (!there) continue;
    refusal = await client.sendRawTransaction({ serializedTransaction: there.raw }).then(
      () => null,
      (error: unknown) => describeNodeError(error, chain.url),
    );
  }
  return refusal;
}

async function sameChain({ chain }: Onchain, client: PublicClient, plan: SwapPlan): Promise<void> {
  const { name } = await chain.identity(client);
  if (name !== plan.chain) throw inDoubt('other_chain', `The swap was signed for chain ${plan.chain}, and this is ${name}.`);
}

function inDoubt(reason: string, message: string, code: ErrorCode = 'EXECUTION_ERROR'): ToolError {
  return new ToolError(code, reason, message, {
    hint: 'It may or may not happen until its deadline has passed.',
    nothingHappened: false,
  });
}
