/** Builds the parts that the onchain tools work with (chain, session keys, journal) from the settings. */
import type { JsonObject } from 'holdfast/tools';
import { addressOf } from './address';
import { AMOUNT_PATTERN } from './amounts';
import { Chain } from './chain';
import type { Address } from './hex';
import { FileJournal, type SwapJournal } from './journal';
import { sessionKeysFrom, type SessionKeys } from './session-keys';
import type { OnchainSettings } from './settings';

export interface Onchain {
  chain: Chain;
  router: Address;
  keys: SessionKeys;
  journal: SwapJournal;
  confirmations: number;
  waitMs: number;
  /** Wei. */
  maxGasCost: bigint;
}

/** One coin of any chain is more than an ordinary swap costs: where a coin is worth little, gas costs more of it. */
const ONE_COIN = '1000000000000000000';

/** @throws Error that names the invalid setting; session keys are never shown */
export function onchainOf(settings: OnchainSettings): Onchain {
  const { url, chainId, sessionKeys = {}, journal, confirmations = 1, waitMs = 45_000, maxGasCost = ONE_COIN } = settings;
  if (!Number.isSafeInteger(chainId) || chainId < 1)
    throw new Error(`chainId is ${chainId}; it must be a whole number of 1 or more.`);
  const router = addressOf(settings.router);
  if (router === null)
    throw new Error(`The router ${JSON.stringify(settings.router)} is no address, or its checksum is wrong (EIP-55).`);
  if (!Number.isInteger(confirmations) || confirmations < 1)
    throw new Error(`confirmations is ${confirmations}; it must be 1 or more.`);
  if (!AMOUNT_PATTERN.test(maxGasCost))
    throw new Error(`maxGasCost is ${JSON.stringify(maxGasCost)}; it must be a whole number of wei, 1 or more, as text.`);
  return {
    chain: new Chain(url, chainId),
    router,
    keys: isProvider(sessionKeys) ? sessionKeys : sessionKeysFrom(sessionKeys),
    journal: typeof journal === 'string' ? new FileJournal(journal) : journal,
    confirmations,
    waitMs,
    maxGasCost: BigInt(maxGasCost),
  };
}

/** The target of the tools. The node's URL may contain a key, so only its host is shown. */
export function targetOf({ chain, router }: Onchain): JsonObject {
  return { chain_id: chain.id, node: new URL(chain.url).hostname, router };
}

/** As `targetOf`, with the session's account if it is known without a request. */
export function accountTargetOf(onchain: Onchain, sessionKeyId: string): JsonObject {
  const account = onchain.keys.addressOf?.(sessionKeyId);
  return { ...targetOf(onchain), ...(account === undefined ? {} : { account }) };
}

function isProvider(keys: NonNullable<OnchainSettings['sessionKeys']>): keys is SessionKeys {
  return typeof keys.get === 'function';
}
