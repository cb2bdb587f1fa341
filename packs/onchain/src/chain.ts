/** The way to the chain: one JSON-RPC endpoint, bounded in time and size, asked once; retries belong to the engine. */
import { type PublicClient, viem } from './viem';
import { ToolError } from 'holdfast/tools';
import { boundedFetch } from './bounded-fetch';
import { rpcFailure } from './rpc-failure';

const RPC_TIMEOUT = 10_000;

export class Chain {
  private known: Promise<ChainIdentity> | undefined;

  /**
   * @param url may hold an API key: it is never shown
   * @param id as the settings say it; part of what a call is approved for
   */
  constructor(
    readonly url: string,
    readonly id: number,
  ) {}

  /** @param signal ends the requests of this client */
  client(signal: AbortSignal): PublicClient {
    const { createPublicClient, http } = viem();
    const transport = http(this.url, { retryCount: 0, timeout: RPC_TIMEOUT, fetchFn: boundedFetch(signal) });
    return createPublicClient({ transport, cacheTime: 0, ccipRead: false }); // no contract has us ask an address of its own
  }

  /** Runs reads; their failures become the tool's. @throws ToolError that says that nothing has happened yet */
  async read<T>(signal: AbortSignal, work: (client: PublicClient) => Promise<T>): Promise<T> {
    try {
      return await work(this.client(signal));
    } catch (error) {
      throw rpcFailure(error, this.url);
    }
  }

  /** Before anything is signed. @throws ToolError where the node is of another chain than calls are approved for */
  async approvedIdentity(client: PublicClient): Promise<ChainIdentity> {
    const identity = await this.identity(client);
    if (identity.chainId === this.id) return identity;
    const message = `The node is of chain ${identity.chainId}, and the settings say ${this.id}.`;
    throw new ToolError('EXECUTION_ERROR', 'other_chain', message, {
      hint: 'Nothing was sent. An operator must correct HOLDFAST_EVM_CHAIN_ID or HOLDFAST_EVM_URL.',
      nothingHappened: true,
    });
  }

  /** Which chain this is; asked once. */
  async identity(client: PublicClient): Promise<ChainIdentity> {
    this.known ??= identityOf(client);
    try {
      return await this.known;
    } catch (error) {
      this.known = undefined;
      throw error;
    }
  }
}

export interface ChainIdentity {
  chainId: number;
  /** Tells a chain that was started anew from the one before it, which had the same id. */
  name: string;
}

async function identityOf(client: PublicClient): Promise<ChainIdentity> {
  const [chainId, genesis] = await Promise.all([client.getChainId(), client.getBlock({ blockNumber: 0n })]);
  return { chainId, name: `${chainId}-${genesis.hash.slice(2, 18)}` };
}

/** What the tools say where no chain is configured. */
export function noChain(): ToolError {
  return new ToolError('NETWORK_ERROR', 'no_chain', 'No chain is configured.', {
    hint: 'An operator must set HOLDFAST_EVM_URL, HOLDFAST_EVM_CHAIN_ID and HOLDFAST_EVM_ROUTER (docs/onchain.md).',
    nothingHappened: true,
  });
}
