import type { SwapJournal } from './journal';
import type { SessionKeys } from './session-keys';

export interface OnchainSettings {
  /** JSON-RPC endpoint, http or https. */
  url: string;
  /** Id of the chain, as EIP-155 has it; the node must be on this chain. The card shows it. */
  chainId: number;
  /** Address of a SessionRouter. */
  router: string;
  /** Session keys by id: private keys, or a signer. Default: none. */
  sessionKeys?: Readonly<Record<string, string>> | SessionKeys;
  /** Tokens that are listed for the model, by symbol. Default: none, and users have to name addresses. */
  tokens?: readonly KnownToken[];
  /** A folder that all workers share, or a journal. */
  journal: string | SwapJournal;
  /** How many blocks the swap needs, its own included. @default 1 */
  confirmations?: number;
  /** How long one attempt waits for the chain, ms. @default 45000 */
  waitMs?: number;
  /** What the gas of one swap may cost at most, in wei, as text. The preview shows it. @default 10^18: one whole coin */
  maxGasCost?: string;
}

export interface KnownToken {
  /** As people write it: AAA, USDC. */
  symbol: string;
  /** `0x` and 40 hexadecimal characters. */
  address: string;
}
