/**
 * Access to the chain through one JSON-RPC endpoint, with limits of time and size. Each request is sent once; the engine retries.
 */
import { type PublicClient, viem } from './viem';
import { ToolError } from 'holdfast/tools';
import { boundedFetch } from './bounded-fetch';
import { rpcFailure } from './rpc-failure';

const RPC_TIMEOUT = 10_000;

export class Chain {
  /**
   * @param url may contain an API key: never show it
   * @param id chain id of the settings; part of what a call is approved for
   */
  constructor(
    readonly url: string,
    readonly id: number,
  ) {}

  /** @param signal ends the requests of this client */
  client(signal: AbortSignal): PublicClient {
    const { createPublicClient, http } = viem();
    const transport = http(this.url, { retryCount: 0, timeout: RPC_TIMEOUT, fetchFn: boundedFetch(signal) });
    return createPublicClient({ transport, cacheTime: 0, ccipRead: false }); // a contract must not name addresses for us to request
  }

  /** Runs reads; a failure becomes a tool error. @throws ToolError that says that nothing has happened yet */
  async read<T>(signal: AbortSignal, work: (client: PublicClient) => Promise<T>): Promise<T> {
    try {
      return await work(this.client(signal));
    } catch (error) {
      throw rpcFailure(error, this.url);
    }
  }

  /** To call before anything is signed. @throws ToolError if the node is on another chain than calls are approved for */
  async approvedIdentity(client: PublicClient): Promise<ChainIdentity> {
    const identity = await this.identity(client);
    if (identity.chainId === this.id) return identity;
    const message = `The node is of chain ${identity.chainId}, and the settings say ${this.id}.`;
    throw new ToolError('EXECUTION_ERROR', 'other_chain', message, {
      hint: 'Nothing was sent. An operator must correct HOLDFAST_EVM_CHAIN_ID or HOLDFAST_EVM_URL.',
      nothingHappened: true,
    });
  }

  /** Which chain the node is on now: the one behind a URL may be started anew. */
  async identity(client: PublicClient): Promise<ChainIdentity> {
    const [chainId, genesis] = await Promise.all([client.getChainId(), client.getBlock({ blockNumber: 0n })]);
    return { chainId, name: `${chainId}-${genesis.hash.slice(2, 18)}` };
  }
}

export interface ChainIdentity {
  chainId: number;
  /** Differs between a restarted chain and the one before it, which had the same id. */
  name: string;
}

/** The error of the tools if no chain is configured. */
export function noChain(): ToolError {
  return new ToolError('NETWORK_ERROR', 'no_chain', 'No chain is configured.', {
    hint: 'An operator must set HOLDFAST_EVM_URL, HOLDFAST_EVM_CHAIN_ID and HOLDFAST_EVM_ROUTER (docs/onchain.md).',
    nothingHappened: true,
  });
}
