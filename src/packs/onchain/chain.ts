/** The way to the chain: one JSON-RPC endpoint, bounded in time and size, asked once; retries belong to the engine. */
import { type PublicClient, viem } from './viem';
import { ToolError } from '../../tools/errors';
import { boundedFetch } from './bounded-fetch';
import { rpcFailure } from './rpc-failure';

const RPC_TIMEOUT = 10_000;

export class Chain {
  private known: Promise<ChainIdentity> | undefined;

  /** @param url may hold an API key: it is never shown */
  constructor(readonly url: string) {}

  /** @param signal ends the requests of this client */
  client(signal: AbortSignal): PublicClient {
    const { createPublicClient, http } = viem();
    const transport = http(this.url, { retryCount: 0, timeout: RPC_TIMEOUT, fetchFn: boundedFetch(signal) });
    return createPublicClient({ transport, cacheTime: 0 });
  }

  /** Runs reads; their failures become the tool's. @throws ToolError that says that nothing has happened yet */
  async read<T>(signal: AbortSignal, work: (client: PublicClient) => Promise<T>): Promise<T> {
    try {
      return await work(this.client(signal));
    } catch (error) {
      throw rpcFailure(error, this.url);
    }
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
    hint: 'An operator must set HOLDFAST_EVM_URL and HOLDFAST_EVM_ROUTER (docs/onchain.md).',
    nothingHappened: true,
  });
}
