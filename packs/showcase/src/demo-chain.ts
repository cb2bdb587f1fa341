/**
 * Deploys the contracts on the embedded chain of `holdfast dev`, and returns the settings that name them. Loads viem, which other
 * commands do not need.
 */
import { deployDemo } from '@holdfast/onchain';

/** A stack may run for days; its chain ends with it. */
const SESSION_SECONDS = 365 * 24 * 3600;

export async function equipDemoChain(rpcUrl: string): Promise<NodeJS.ProcessEnv> {
  const expiresAt = BigInt(Math.floor(Date.now() / 1000) + SESSION_SECONDS);
  const { chainId, router, tokens, sessionKeys } = await deployDemo(rpcUrl, { expiresAt });
  return {
    HOLDFAST_EVM_URL: rpcUrl,
    HOLDFAST_EVM_CHAIN_ID: String(chainId),
    HOLDFAST_EVM_ROUTER: router,
    HOLDFAST_EVM_SESSION_KEYS: JSON.stringify(sessionKeys),
    HOLDFAST_EVM_TOKENS: `AAA=${tokens[0]},BBB=${tokens[1]}`,
  };
}
