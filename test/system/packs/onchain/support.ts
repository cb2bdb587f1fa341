/** A real chain with our contracts on it, and tools over it. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startChain, type DevChain } from '../../../../src/devserver/chain';
import { deployDemo, onchainTools, type Demo, type OnchainSettings } from '../../../../packs/onchain/src';
import { SESSION_ROUTER, TEST_TOKEN } from '../../../../packs/onchain/src/contracts/artifacts';
import type { DemoOptions } from '../../../../packs/onchain/src/deploy';
import type { Address } from '../../../../packs/onchain/src/hex';
import { viem } from '../../../../packs/onchain/src/viem';
import { isToolError, type ToolError } from '../../../../src/tools/define/errors';
import { toolContext } from '../../../support/tool-context';
import type { ProbeAnswer, ToolContext } from '../../../../src/tools/define/tool';

export const UNIT = 10n ** 18n;

export interface Stage {
  node: DevChain;
  demo: Demo;
  journal: string;
  settings: OnchainSettings;
  close(): Promise<void>;
}

export async function openStage(options: DemoOptions = {}): Promise<Stage> {
  const node = await startChain();
  const journal = await mkdtemp(join(tmpdir(), 'holdfast-onchain-'));
  const demo = await deployDemo(node.rpcUrl, options);
  return {
    node,
    demo,
    journal,
    settings: {
      url: node.rpcUrl,
      chainId: demo.chainId,
      router: demo.router,
      sessionKeys: demo.sessionKeys,
      journal: join(journal, 'swaps'),
      waitMs: 8000,
    },
    async close() {
      await node.stop();
      await rm(journal, { recursive: true, force: true });
    },
  };
}

/** A stage whose chain is as it was deployed at the start of each test, with a journal of its own. */
export function freshStages(): () => Stage {
  let first: Stage;
  let stage: Stage;
  let snapshot: string;
  let count = 0;
  const ask = <T>(method: string, ...params: unknown[]) => rpc<T>(first.node.rpcUrl, method, ...params);
  beforeAll(async () => {
    first = await openStage();
    snapshot = await ask('evm_snapshot');
  });
  beforeEach(() => {
    const journal = join(first.journal, String(++count));
    stage = { ...first, journal, settings: { ...first.settings, journal: join(journal, 'swaps') } };
  });
  afterEach(async () => {
    await ask('evm_setAutomine', true);
    await ask('anvil_dropAllTransactions');
    await ask('evm_revert', snapshot);
    await ask('evm_setTime', Date.now());
    snapshot = await ask('evm_snapshot'); // each is good for one return
  });
  afterAll(() => first?.close());
  return () => stage;
}

export function clientOf(rpcUrl: string) {
  const { createWalletClient, http, publicActions } = viem();
  return createWalletClient({ transport: http(rpcUrl, { retryCount: 0, timeout: 60_000 }), pollingInterval: 50 }).extend(
    publicActions,
  );
}

/** One call to the node, development methods too. */
export async function rpc<T = unknown>(rpcUrl: string, method: string, ...params: unknown[]): Promise<T> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const response = await fetch(rpcUrl, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  const { result, error } = (await response.json()) as { result: T; error?: { message: string } };
  if (error) throw new Error(`${method}: ${error.message}`);
  return result;
}

/** Every swap that happened on this chain. */
export async function swaps({ node, demo }: Pick<Stage, 'node' | 'demo'>) {
  const query = { address: demo.router, abi: SESSION_ROUTER.abi, eventName: 'Swapped', fromBlock: 0n, strict: true } as const;
  return clientOf(node.rpcUrl).getContractEvents(query);
}

export function balance({ node }: Stage, token: Address, owner: Address): Promise<bigint> {
  return clientOf(node.rpcUrl).readContract({ address: token, abi: TEST_TOKEN.abi, functionName: 'balanceOf', args: [owner] });
}

export async function chainTime(rpcUrl: string): Promise<number> {
  return Number((await clientOf(rpcUrl).getBlock()).timestamp);
}

export function simulateInput({ demo }: Stage, more: object = {}) {
  return { from_token: demo.tokens[0], to_token: demo.tokens[1], amount_in: UNIT.toString(), max_slippage_bps: 50, ...more };
}

export function swapInput(stage: Stage, more: object = {}) {
  const deadline_ts = Math.floor(Date.now() / 1000) + 600;
  return { ...simulateInput(stage), deadline_ts, session_key_id: 'demo', simulated_min_out: '1', ...more };
}

let keys = 0;
/** A key that nobody used before. */
export function newKey(): string {
  return `hf_${(++keys).toString(16).padStart(40, '0')}`;
}

export function tool(name: 'simulate_swap' | 'swap_token', settings: OnchainSettings | null) {
  return onchainTools(settings).find((one) => one.name === name)!;
}

export async function simulate(settings: OnchainSettings | null, input: object): Promise<any> {
  return tool('simulate_swap', settings).run(input, toolContext());
}

export async function swap(settings: OnchainSettings | null, input: object, more: Partial<ToolContext> = {}): Promise<any> {
  return tool('swap_token', settings).run(input, toolContext({ idempotencyKey: newKey(), ...more }));
}

/** The outcome that the tool itself finds for the call with this key. */
export async function probe(settings: OnchainSettings | null, idempotencyKey: string, input: object = {}): Promise<ProbeAnswer> {
  return tool('swap_token', settings).reconcile!(input, toolContext({ idempotencyKey }));
}

export async function errorOf(work: Promise<unknown>): Promise<ToolError> {
  const error = await work.then(
    (value) => new Error(`It succeeded: ${JSON.stringify(value)}`),
    (failure: unknown) => failure,
  );
  if (isToolError(error)) return error;
  throw error;
}

/** The part of an error that decides what happens next. */
export async function verdictOf(work: Promise<unknown>): Promise<string> {
  const { detail, nothingHappened } = await errorOf(work);
  return `${detail.code} ${detail.reason}${nothingHappened ? ', nothing happened' : ''}`;
}
