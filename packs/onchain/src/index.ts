/** The onchain pack: two tools over one EVM chain, an AMM of our own, and session keys (docs/onchain.md). */
import { knownInputsOf } from './known-inputs';
import { onchainOf } from './onchain';
import type { OnchainSettings } from './settings';
import { simulateSwap } from './tools/simulate-swap';
import { swapToken } from './tools/swap-token';
import type { Tool } from 'holdfast/tools';

export { deployDemo, type Demo } from './deploy';
export { FileJournal, type Decision, type SignedSwap, type SwapJournal, type SwapPlan } from './journal';
export { sessionKeysFrom, type SessionAccount, type SessionKeys, type SwapTransaction } from './session-keys';
export type { OnchainSettings, KnownToken } from './settings';

/**
 * @param settings null: no chain is configured; the tools then return that error
 * @throws Error for invalid settings
 */
export function onchainTools(settings: OnchainSettings | null): Tool[] {
  const onchain = settings && onchainOf(settings);
  const inputs = knownInputsOf(settings);
  return [simulateSwap(onchain, inputs), swapToken(onchain, inputs)];
}
