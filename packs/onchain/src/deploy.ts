/** Deploys our contracts on a development chain, for trials and tests: two tokens, a pool, a router, and a session. */
import { POOL, SESSION_ROUTER, TEST_TOKEN } from './contracts/artifacts';
import type { Address, Hex } from './hex';
import { accounts, viem } from './viem';

const SUPPLY = 10n ** 27n;
const UNIT = 10n ** 18n;
/** The first token costs two of the second. */
const LIQUIDITY = { first: 1_000_000n * UNIT, second: 2_000_000n * UNIT };
const ALLOWANCE = 1_000n * UNIT;
const SESSION_SECONDS = 24 * 3600;
const GAS_MONEY = UNIT;

export interface Demo {
  chainId: number;
  router: Address;
  pool: Address;
  /** Symbols AAA and BBB, 18 decimals. */
  tokens: [Address, Address];
  /** Owner of the session. */
  owner: Address;
  sessionKeyId: string;
  /** Private keys by id, as HOLDFAST_EVM_SESSION_KEYS takes them. */
  sessionKeys: Record<string, Hex>;
}

export interface DemoOptions {
  /** @default { first: 10^24, second: 2 * 10^24 } */
  liquidity?: { first: bigint; second: bigint };
  /** Of each token. @default 10^21 */
  allowance?: bigint;
  /** Unix seconds. @default in a day */
  expiresAt?: bigint;
  /** Wei for the session key. @default 10^18 */
  gasMoney?: bigint;
}

/** For one request: a development chain on a busy machine may take long. */
const RPC_TIMEOUT_MS = 60_000;

/**
 * Deploys from the node's first account, which a development node has unlocked, and opens a session for a new key.
 * @throws Error when the node has no unlocked account, or refuses
 */
export async function deployDemo(rpcUrl: string, options: DemoOptions = {}): Promise<Demo> {
  const { createWalletClient, http, publicActions } = viem();
  const client = createWalletClient({
    transport: http(rpcUrl, { retryCount: 0, timeout: RPC_TIMEOUT_MS }),
    pollingInterval: 50,
  }).extend(publicActions);
  const [owner] = await client.getAddresses();
  if (!owner)
    throw new Error(`The node at ${new URL(rpcUrl).host} has no unlocked account; deployDemo is for development nodes.`);
  const common = { account: owner, chain: null } as const;
  const waitForReceipt = async (hash: Hex) => {
    const receipt = await client.waitForTransactionReceipt({ hash });
    if (receipt.status !== 'success') throw new Error(`Transaction ${hash} of the demo set-up was reverted.`);
    return receipt;
  };
  const addressOf = async (hash: Hex) => (await waitForReceipt(hash)).contractAddress!;

  const token = async (name: string, symbol: string) =>
    addressOf(await client.deployContract({ ...TEST_TOKEN, ...common, args: [name, symbol, 18, SUPPLY] }));
  const tokens: [Address, Address] = [await token('Token A', 'AAA'), await token('Token B', 'BBB')];
  const pool = await addressOf(await client.deployContract({ ...POOL, ...common, args: tokens }));
  const router = await addressOf(await client.deployContract({ ...SESSION_ROUTER, ...common, args: [[pool]] }));

  const { liquidity = LIQUIDITY, allowance = ALLOWANCE, gasMoney = GAS_MONEY } = options;
  for (const [address, amount] of [[tokens[0], liquidity.first] as const, [tokens[1], liquidity.second] as const]) {
    for (const [spender, approved] of [[pool, amount] as const, [router, allowance] as const]) {
      const args = [spender, approved] as const;
      await waitForReceipt(
        await client.writeContract({ ...common, address, abi: TEST_TOKEN.abi, functionName: 'approve', args }),
      );
    }
  }
  const fund = [liquidity.first, liquidity.second] as const;
  await waitForReceipt(await client.writeContract({ ...common, address: pool, abi: POOL.abi, functionName: 'fund', args: fund }));

  const key = accounts().generatePrivateKey();
  const session = accounts().privateKeyToAddress(key);
  await waitForReceipt(await client.sendTransaction({ ...common, to: session, value: gasMoney }));
  const { timestamp } = await client.getBlock();
  const expiresAt = options.expiresAt ?? timestamp + BigInt(SESSION_SECONDS);
  const limits = tokens.map((address) => ({ token: address, allowance }));
  const open = [session, expiresAt, limits] as const;
  await waitForReceipt(
    await client.writeContract({ ...common, address: router, abi: SESSION_ROUTER.abi, functionName: 'openSession', args: open }),
  );
  return { chainId: await client.getChainId(), router, pool, tokens, owner, sessionKeyId: 'demo', sessionKeys: { demo: key } };
}
