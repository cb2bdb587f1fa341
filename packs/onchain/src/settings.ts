import type { SwapJournal } from './journal';
import type { SessionKeys } from './session-keys';

export interface OnchainSettings {
  /** JSON-RPC endpoint, http or https. */
  url: string;
  /** Id of the chain, as EIP-155 has it: the node has to be of this chain. It stands on the card. */
  chainId: number;
  /** Address of a SessionRouter. */
  router: string;
  /** Session keys by id: private keys, or something that signs. Default: none. */
  sessionKeys?: Readonly<Record<string, string>> | SessionKeys;
  /** Tokens that the model is told of, by symbol. Default: none, and users have to name addresses. */
  tokens?: readonly KnownToken[];
  /** A folder that all workers share, or a journal. */
  journal: string | SwapJournal;
  /** Blocks that have to stand on the one with the swap, that one included. @default 1 */
  confirmations?: number;
  /** How long one attempt waits for the chain, ms. @default 45000 */
  waitMs?: number;
}

export interface KnownToken {
  /** As people say it: AAA, USDC. */
  symbol: string;
  /** `0x` and 40 hexadecimal characters. */
  address: string;
}
