/**
 * Session keys, which sign swaps; the model knows only their ids. The chain limits what a key may do, because its owner opened the
 * session there (contracts/SessionRouter.sol): expiry, tokens, allowance. So every worker sees the same limits, and no race, crash
 * or second copy of the key can exceed them.
 */
import { ToolError } from 'holdfast/tools';
import type { Address, Hex } from './hex';
import { accounts } from './viem';

/** Signs for a session; does not reveal the private key. */
export interface SessionAccount {
  address: Address;
  signTransaction(transaction: SwapTransaction): Promise<Hex>;
}

export interface SwapTransaction {
  type: 'eip1559';
  chainId: number;
  nonce: number;
  to: Address;
  data: Hex;
  gas: bigint;
  maxFeePerGas: bigint;
  maxPriorityFeePerGas: bigint;
}

/** Source of session keys: the settings, a vault, an HSM. Signatures must be deterministic (RFC 6979), as viem's are. */
export interface SessionKeys {
  /** @throws ToolError RESOURCE_NOT_FOUND for an unknown id */
  get(id: string): Promise<SessionAccount>;
  /** Ids that are listed for the model. Default: none, and users have to name theirs. */
  readonly ids?: readonly string[];
  /** The account of a session, without a request: it is part of a call's target. Default: only the preview shows it. */
  addressOf?(id: string): Address | undefined;
}

/**
 * @param keys id → private key, `0x` and 64 hexadecimal characters
 * @throws Error that names the id, and never the key
 */
export function sessionKeysFrom(keys: Readonly<Record<string, string>>): SessionKeys {
  const accounts = new Map(Object.entries(keys).map(([id, key]) => [id, accountOf(id, key)]));
  return {
    ids: [...accounts.keys()],
    addressOf: (id) => accounts.get(id)?.address,
    async get(id) {
      const account = accounts.get(id);
      if (account) return account;
      throw new ToolError('RESOURCE_NOT_FOUND', 'unknown_session_key', `There is no session key ${JSON.stringify(id)}.`, {
        hint:
          accounts.size === 0 ? 'An operator must set HOLDFAST_EVM_SESSION_KEYS.' : `Known: ${[...accounts.keys()].join(', ')}.`,
        nothingHappened: true,
      });
    },
  };
}

function accountOf(id: string, key: string): SessionAccount {
  try {
    return accounts().privateKeyToAccount(key as Hex);
  } catch {
    // No cause: its text might show the key.
    throw new Error(`Session key ${JSON.stringify(id)} is no private key: it must be 0x and 64 hexadecimal characters.`);
  }
}
