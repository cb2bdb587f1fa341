import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { onchainTools, sessionKeysFrom, type Demo, type OnchainSettings } from '../../../../packs/onchain/src';
import { SESSION_ROUTER } from '../../../../packs/onchain/src/contracts/artifacts';
import { toolContext } from '../../../support/tool-context';
import { startRpcProxy } from './rpc-proxy';
import {
  balance,
  clientOf,
  errorOf,
  freshStages,
  newKey,
  openStage,
  probe,
  rpc,
  simulate,
  simulateInput,
  swap,
  swapInput,
  swaps,
  tool,
  UNIT,
  verdictOf,
  type Stage,
} from './support';
import type { DescriptionParts } from '../../../../src/tools/define/tool';

/** As the engine asks; the outcome alone. */
const reconcile = async (settings: OnchainSettings, idempotencyKey: string) =>
  ((await probe(settings, idempotencyKey)) as { outcome: string }).outcome;
const account = async (demo: Demo) => (await sessionKeysFrom(demo.sessionKeys).get('demo')).address;

describe('swap_token on a chain', () => {
  const fresh = freshStages();
  let stage: Stage;
  beforeEach(() => void (stage = fresh()));

  it('swaps what was simulated: amounts in the result, on the chain and in the wallets are the same', async () => {
    const { settings, demo } = stage;
    const before = await balance(stage, demo.tokens[1], demo.owner);
    const simulated = await simulate(settings, simulateInput(stage));
    const { simulated_min_out } = simulated;
    const result = await swap(settings, swapInput(stage, { simulated_min_out }));
    expect(result).toMatchObject({ amount_in: UNIT.toString(), amount_out: simulated.amount_out, min_out: simulated_min_out });
    const [event, ...more] = await swaps(stage);
    expect(more).toEqual([]);
    expect(event).toMatchObject({ transactionHash: result.tx_hash, blockNumber: BigInt(result.block_number) });
    expect((await balance(stage, demo.tokens[1], demo.owner)) - before).toBe(BigInt(result.amount_out));
    const output = tool('swap_token', settings).output as { parse(value: unknown): unknown };
    expect(output.parse(result)).toEqual(result);
  });

  it('pays for gas at most twice the base fee of its plan, and the priority fee', async () => {
    const client = clientOf(stage.node.rpcUrl);
    const { baseFeePerGas } = await client.getBlock();
    const { tx_hash } = await swap(stage.settings, swapInput(stage));
    const { maxFeePerGas, maxPriorityFeePerGas } = await client.getTransaction({ hash: tx_hash });
    expect(maxFeePerGas).toBe(2n * baseFeePerGas! + maxPriorityFeePerGas!);
  });

  it('asked again with the same key, answers with the same transaction: one swap on the chain', async () => {
    const idempotencyKey = newKey();
    const input = swapInput(stage);
    const first = await swap(stage.settings, input, { idempotencyKey });
    expect(await swap(stage.settings, input, { idempotencyKey, attempt: 2 })).toEqual(first);
    expect(await swaps(stage)).toHaveLength(1);
    expect(await reconcile(stage.settings, idempotencyKey)).toBe('applied');
  });

  it('asked by four workers at once with the same key, swaps once', async () => {
    const idempotencyKey = newKey();
    const input = swapInput(stage);
    const results = await Promise.all([1, 2, 3, 4].map(() => swap({ ...stage.settings }, input, { idempotencyKey })));
    expect(new Set(results.map((result) => result.tx_hash)).size).toBe(1);
    expect(await swaps(stage)).toHaveLength(1);
  });

  it('lets concurrent swaps of one session take nonces of their own', async () => {
    const results = await Promise.all([1, 2, 3, 4, 5].map(() => swap({ ...stage.settings }, swapInput(stage))));
    expect(new Set(results.map((result) => result.tx_hash)).size).toBe(5);
    expect(await swaps(stage)).toHaveLength(5);
  });

  it('broadcasts a swap that a killed worker has signed and not sent, since its own nonce comes after it', async () => {
    const lost = newKey();
    const deaf = await startRpcProxy(stage.node.rpcUrl, {
      before: async (method) => (method === 'eth_sendRawTransaction' ? { status: 500, body: '{}' } : undefined),
    });
    const silent = { ...stage.settings, url: deaf.url, waitMs: 200 };
    expect(await verdictOf(swap(silent, swapInput(stage), { idempotencyKey: lost }))).toBe('TIMEOUT swap_not_settled');
    await deaf.close();
    expect(await swaps(stage)).toHaveLength(0);
    expect(await reconcile(stage.settings, lost)).toBe('unknown');
    await swap(stage.settings, swapInput(stage));
    expect(await swaps(stage)).toHaveLength(2);
    expect(await reconcile(stage.settings, lost)).toBe('applied');
  });

  it('cannot exceed the allowance on the chain when two workers spend the rest of it at once', async () => {
    const amount_in = (600n * UNIT).toString(); // of 1,000
    const settled = await Promise.allSettled([1, 2].map(() => swap({ ...stage.settings }, swapInput(stage, { amount_in }))));
    const failed = settled
      .filter((result) => result.status === 'rejected')
      .map((result) => Promise.reject(result.reason as Error));
    expect(failed).toHaveLength(1);
    expect(await verdictOf(failed[0]!)).toBe('QUOTA_EXCEEDED allowance_exceeded, nothing happened');
    expect(await swaps(stage)).toHaveLength(1);
    expect(await verdictOf(swap(stage.settings, swapInput(stage, { amount_in })))).toBe(
      'QUOTA_EXCEEDED allowance_exceeded, nothing happened',
    );
  });

  describe('refuses before anything is signed', () => {
    const refused = async (more: object, settings: Partial<OnchainSettings> = {}) => {
      const verdict = await verdictOf(swap({ ...stage.settings, ...settings }, swapInput(stage, more)));
      expect(await readdir(join(stage.journal, 'swaps/signed')).catch(() => [])).toEqual([]);
      expect(await rpc(stage.node.rpcUrl, 'eth_getTransactionCount', await account(stage.demo), 'pending')).toBe('0x0');
      return verdict;
    };

    it('a swap that the input alone or the pool rules out', async () => {
      expect(await refused({ session_key_id: 'other' })).toBe('RESOURCE_NOT_FOUND unknown_session_key, nothing happened');
      expect(await refused({ to_token: `0x${'12'.repeat(20)}` })).toBe('RESOURCE_NOT_FOUND no_pool, nothing happened');
      expect(await refused({ amount_in: (1001n * UNIT).toString() })).toBe('QUOTA_EXCEEDED allowance_exceeded, nothing happened');
      expect(await refused({ simulated_min_out: (2n * UNIT).toString() })).toBe('INVALID_PARAMS price_moved, nothing happened');
      const deadline_ts = Math.floor(Date.now() / 1000) - 1;
      expect(await refused({ deadline_ts })).toBe('INVALID_PARAMS deadline_passed, nothing happened');
      expect(await refused({}, { url: 'http://127.0.0.1:1' })).toBe('NETWORK_ERROR chain_unreachable, nothing happened');
      expect(await verdictOf(swap(null, swapInput(stage)))).toBe('NETWORK_ERROR no_chain, nothing happened');
    });

    it('a node of another chain than people are shown', async () => {
      expect(await refused({}, { chainId: 1 })).toBe('EXECUTION_ERROR other_chain, nothing happened');
      const { detail } = await errorOf(simulate({ ...stage.settings, chainId: 1 }, simulateInput(stage)));
      expect(detail.message).toBe('The node is of chain 31337, and the settings say 1.');
    });

    it('a session that has expired, by the clock of the chain', async () => {
      await rpc(stage.node.rpcUrl, 'evm_increaseTime', 86_401);
      await rpc(stage.node.rpcUrl, 'evm_mine');
      const deadline_ts = Math.floor(Date.now() / 1000) + 100_000;
      expect(await refused({ deadline_ts })).toBe('PERMISSION_DENIED session_expired, nothing happened');
      expect(await refused({})).toBe('INVALID_PARAMS deadline_passed, nothing happened');
    });

    it('a session without gas money, and one that the chain does not know', async () => {
      await rpc(stage.node.rpcUrl, 'anvil_setBalance', await account(stage.demo), '0x1');
      expect(await refused({})).toBe('EXECUTION_ERROR no_gas_money, nothing happened');
      const sessionKeys = { demo: `0x${'a1'.repeat(32)}` };
      expect(await refused({}, { sessionKeys })).toBe('PERMISSION_DENIED session_unknown, nothing happened');
    });

    it('gas that may cost more than the settings allow', async () => {
      expect(await refused({}, { maxGasCost: '1' })).toBe('EXECUTION_ERROR gas_too_expensive, nothing happened');
    });

    it('a token that is not on the list of the session, although it has a pool', async () => {
      const { demo, node } = stage;
      const client = clientOf(node.rpcUrl);
      const keys = { narrow: `0x${'c3'.repeat(32)}` };
      const { address } = await sessionKeysFrom(keys).get('narrow');
      const limits = [{ token: demo.tokens[0], allowance: UNIT }];
      const args = [address, BigInt(Math.floor(Date.now() / 1000) + 10_000), limits] as const;
      const hash = await client.writeContract({
        ...{ address: demo.router, abi: SESSION_ROUTER.abi, functionName: 'openSession', args, account: demo.owner, chain: null },
      } as never);
      await client.waitForTransactionReceipt({ hash });
      const verdict = await refused({ session_key_id: 'narrow' }, { sessionKeys: keys });
      expect(verdict).toBe('PERMISSION_DENIED token_not_allowed, nothing happened');
    });
  });

  it('keeps to a refusal: no worker with the same call signs after it', async () => {
    const idempotencyKey = newKey();
    const early = swapInput(stage, { simulated_min_out: (2n * UNIT).toString() });
    expect(await verdictOf(swap(stage.settings, early, { idempotencyKey }))).toBe('INVALID_PARAMS price_moved, nothing happened');
    const { detail } = await errorOf(swap(stage.settings, { ...early, simulated_min_out: '1' }, { idempotencyKey }));
    expect(detail).toMatchObject({ reason: 'price_moved', hint: expect.stringContaining('simulate_swap again') });
    expect(await swaps(stage)).toEqual([]);
    expect(await reconcile(stage.settings, idempotencyKey)).toBe('not_applied');
  });

  it('is not refused for good by a passing fault of the node', async () => {
    const faults = [
      ['eth_call', '{"code":-32603,"message":"Internal error"}'],
      ['eth_call', '{"code":-32000,"message":"header not found"}'],
      ['eth_estimateGas', '{"code":-32603,"message":"Internal error","data":"upstream timed out"}'],
      ['eth_getBalance', '{"code":-32000,"message":"block 0x5 not found"}'],
    ];
    const idempotencyKey = newKey();
    for (const [failing, error] of faults) {
      const proxy = await startRpcProxy(stage.node.rpcUrl, {
        before: async (method) =>
          method === failing ? { status: 200, body: `{"jsonrpc":"2.0","id":1,"error":${error}}` } : undefined,
      });
      const settings = { ...stage.settings, url: proxy.url };
      const { detail, nothingHappened } = await errorOf(swap(settings, swapInput(stage), { idempotencyKey }));
      expect(detail).toMatchObject({ code: 'NETWORK_ERROR', reason: 'rpc_failed', retryable: true });
      expect(nothingHappened).toBe(true);
      await proxy.close();
    }
    await swap(stage.settings, swapInput(stage), { idempotencyKey });
    expect(await swaps(stage)).toHaveLength(1);
  });

  it('reports the outcome of a lost swap as the run would have reported it, with its evidence', async () => {
    const idempotencyKey = newKey();
    const input = swapInput(stage);
    const data = await swap(stage.settings, input, { idempotencyKey });
    const found = await probe(stage.settings, idempotencyKey, input);
    expect(found).toMatchObject({ outcome: 'applied', data, evidence: expect.stringContaining(data.tx_hash) });
    expect(await swaps(stage)).toHaveLength(1);
    await expect(probe(null, idempotencyKey, input)).rejects.toThrow('No chain is configured');
  });

  it('given up by a probe before it was signed, is never signed', async () => {
    const idempotencyKey = newKey();
    expect(await reconcile(stage.settings, idempotencyKey)).toBe('not_applied');
    expect(await verdictOf(swap(stage.settings, swapInput(stage), { idempotencyKey }))).toBe(
      'EXECUTION_ERROR abandoned, nothing happened',
    );
  });

  describe('in a block', () => {
    const mining = (on: boolean) => rpc(stage.node.rpcUrl, 'evm_setAutomine', on);

    it('is in doubt while no block has it, and applied once one has', async () => {
      await mining(false);
      const idempotencyKey = newKey();
      const input = swapInput(stage);
      const impatient = { ...stage.settings, waitMs: 300 };
      expect(await verdictOf(swap(impatient, input, { idempotencyKey }))).toBe('TIMEOUT swap_not_settled');
      expect(await reconcile(stage.settings, idempotencyKey)).toBe('unknown');
      await mining(true);
      await rpc(stage.node.rpcUrl, 'evm_mine');
      expect(await reconcile(stage.settings, idempotencyKey)).toBe('applied');
      expect(await swap(stage.settings, input, { idempotencyKey })).toMatchObject({ amount_in: UNIT.toString() });
      expect(await swaps(stage)).toHaveLength(1);
    });

    it('that never comes before the deadline is proven not to have happened', async () => {
      await mining(false);
      const idempotencyKey = newKey();
      const impatient = { ...stage.settings, waitMs: 300 };
      expect(await verdictOf(swap(impatient, swapInput(stage), { idempotencyKey }))).toBe('TIMEOUT swap_not_settled');
      await rpc(stage.node.rpcUrl, 'anvil_dropAllTransactions');
      await rpc(stage.node.rpcUrl, 'evm_increaseTime', 700);
      await rpc(stage.node.rpcUrl, 'evm_mine');
      expect(await reconcile(stage.settings, idempotencyKey)).toBe('not_applied');
      expect(await verdictOf(swap(stage.settings, swapInput(stage), { idempotencyKey }))).toBe(
        'INVALID_PARAMS deadline_passed, nothing happened',
      );
    });

    it('waits for as many blocks as are asked for', async () => {
      const idempotencyKey = newKey();
      const careful = { ...stage.settings, confirmations: 3, waitMs: 300 };
      expect(await verdictOf(swap(careful, swapInput(stage), { idempotencyKey }))).toBe('TIMEOUT swap_not_settled');
      await rpc(stage.node.rpcUrl, 'anvil_mine', '0x2');
      expect(await swap(careful, swapInput(stage), { idempotencyKey })).toMatchObject({ amount_in: UNIT.toString() });
    });

    it('that moved the price too far is reverted: nothing but gas is spent, and the error names the reason', async () => {
      await mining(false);
      const big = swapInput(stage, { amount_in: (900n * UNIT).toString() });
      const client = clientOf(stage.node.rpcUrl);
      const idempotencyKey = newKey();
      const impatient = { ...stage.settings, waitMs: 300 };
      const { simulated_min_out } = await simulate(stage.settings, simulateInput(stage, { max_slippage_bps: 1 }));
      const first = swap(impatient, big).catch(() => undefined);
      await first; // signed, and in no block yet
      const input = swapInput(stage, { max_slippage_bps: 1, simulated_min_out });
      expect(await verdictOf(swap(impatient, input, { idempotencyKey }))).toBe('TIMEOUT swap_not_settled');
      const owner = stage.demo.owner;
      const before = await balance(stage, stage.demo.tokens[0], owner);
      await rpc(stage.node.rpcUrl, 'evm_mine');
      expect(await verdictOf(swap(stage.settings, input, { idempotencyKey }))).toBe(
        'INVALID_PARAMS price_moved, nothing happened',
      );
      expect(before - (await balance(stage, stage.demo.tokens[0], owner))).toBe(900n * UNIT);
      expect(await swaps(stage)).toHaveLength(1);
      expect(await client.getTransactionCount({ address: await account(stage.demo) })).toBe(2);
    });

    it('whose nonce another program has used is proven not to have happened', async () => {
      await mining(false);
      const idempotencyKey = newKey();
      const impatient = { ...stage.settings, waitMs: 300 };
      expect(await verdictOf(swap(impatient, swapInput(stage), { idempotencyKey }))).toBe('TIMEOUT swap_not_settled');
      await rpc(stage.node.rpcUrl, 'anvil_dropAllTransactions');
      await mining(true);
      const from = await account(stage.demo);
      await rpc(stage.node.rpcUrl, 'anvil_impersonateAccount', from);
      await rpc(stage.node.rpcUrl, 'eth_sendTransaction', { from, to: from, value: '0x1', nonce: '0x0' });
      expect(await verdictOf(swap(stage.settings, swapInput(stage), { idempotencyKey }))).toBe(
        'EXECUTION_ERROR nonce_used_elsewhere, nothing happened',
      );
    });
  });

  it('done under another journal, is in doubt and never done twice', async () => {
    const idempotencyKey = newKey();
    await swap(stage.settings, swapInput(stage), { idempotencyKey });
    const other = { ...stage.settings, journal: join(stage.journal, 'other') };
    expect(await verdictOf(swap(other, swapInput(stage), { idempotencyKey }))).toBe('EXECUTION_ERROR already_swapped');
    expect(await swaps(stage)).toHaveLength(1);
  });

  it('signed for another chain, is sent to none', async () => {
    const idempotencyKey = newKey();
    const unsent = await startRpcProxy(stage.node.rpcUrl, {
      before: async (method) => (method === 'eth_sendRawTransaction' ? { status: 500, body: '{}' } : undefined),
    });
    await verdictOf(swap({ ...stage.settings, url: unsent.url, waitMs: 200 }, swapInput(stage), { idempotencyKey }));
    await unsent.close();
    await wait(1100); // two development chains that begin in one second have one genesis, and are one chain
    const elsewhere = await openStage();
    try {
      const moved = { ...stage.settings, url: elsewhere.node.rpcUrl };
      expect(await verdictOf(swap(moved, swapInput(stage), { idempotencyKey }))).toBe('EXECUTION_ERROR other_chain');
      expect(await swaps(elsewhere)).toEqual([]);
    } finally {
      await elsewhere.close();
    }
  });

  it('is not sent to a chain that was started anew under the same URL while the worker lives', async () => {
    let next: Stage | null = null;
    const sent: string[] = [];
    const proxy = await startRpcProxy(stage.node.rpcUrl, {
      before: async (method, params = []) => {
        if (method === 'eth_sendRawTransaction' && next === null) return { status: 500, body: '{}' };
        if (next === null) return undefined;
        sent.push(method);
        const result = await rpc(next.node.rpcUrl, method, ...params);
        return { status: 200, body: JSON.stringify({ jsonrpc: '2.0', id: 1, result }) };
      },
    });
    const worker = tool('swap_token', { ...stage.settings, url: proxy.url, waitMs: 200 });
    const ctx = toolContext({ idempotencyKey: newKey() });
    const input = swapInput(stage);
    expect(await verdictOf(worker.run(input, ctx) as Promise<unknown>)).toBe('TIMEOUT swap_not_settled');
    await wait(1100);
    next = await openStage();
    try {
      expect(await verdictOf(worker.run(input, ctx) as Promise<unknown>)).toBe('EXECUTION_ERROR other_chain');
      expect(sent).not.toContain('eth_sendRawTransaction');
    } finally {
      await proxy.close();
      await next.close();
    }
  });

  it('a node that dies after the signature leaves it in doubt, and never says that nothing happened', async () => {
    const dies = await startRpcProxy(stage.node.rpcUrl, {
      before: async (method) => {
        if (method === 'eth_sendRawTransaction') throw new Error('gone');
      },
      after: async (method) => {
        if (method === 'eth_blockNumber') throw new Error('gone');
      },
    });
    const dying = { ...stage.settings, url: dies.url, waitMs: 300 };
    const idempotencyKey = newKey();
    const { detail, nothingHappened } = await errorOf(swap(dying, swapInput(stage), { idempotencyKey }));
    expect(detail).toMatchObject({ code: 'NETWORK_ERROR', reason: 'swap_not_settled' });
    expect(nothingHappened).toBe(false);
    await dies.close();
    await swap(stage.settings, swapInput(stage), { idempotencyKey });
    expect(await swaps(stage)).toHaveLength(1);
  });

  it('shows the person amounts, price impact, allowance and deadline, the same text while the state is the same', async () => {
    const preview = (more: object = {}) =>
      tool('swap_token', stage.settings).preview!(swapInput(stage, { deadline_ts: 4_000_000_000, ...more }), toolContext());
    const text = await preview({ simulated_min_out: '1980000000000000000' });
    expect(text).toContain('sells         1 (1000000000000000000 units) of AAA (0x');
    expect(text).toContain('at least      1.98 (1980000000000000000 units); else nothing is swapped');
    expect(text).toContain('price impact  31 bps');
    expect(text).toContain('allowance     1000 (1000000000000000000000 units) left before, 999 (');
    expect(text).toContain("gas           at most 1 (1000000000000000000 wei) of the chain's coin");
    expect(text).toContain('deadline      2096-10-02T07:06:40.000Z');
    await rpc(stage.node.rpcUrl, 'evm_mine');
    expect(await preview({ simulated_min_out: '1980000000000000000' })).toBe(text);
    expect(await verdictOf(Promise.resolve(preview({ amount_in: (1001n * UNIT).toString() })))).toMatch(/allowance_exceeded/);
    expect(await swaps(stage)).toEqual([]);
  });
});

describe('swap_token before it is admitted', () => {
  const now = 1_800_000_000;
  const swapToken = () => tool('swap_token', null);
  const input = {
    ...{ from_token: `0x${'aa'.repeat(20)}`, to_token: `0x${'BB'.repeat(20)}`, amount_in: '1', max_slippage_bps: 50 },
    ...{ deadline_ts: now + 600, session_key_id: 'demo', simulated_min_out: '1' },
  };
  beforeEach(() => jest.useFakeTimers({ now: now * 1000 }));
  afterEach(() => jest.useRealTimers());

  it.each([
    [{ deadline_ts: now }, 'deadline_passed'],
    [{ deadline_ts: now + 3601 }, 'deadline_too_far'],
    [{ to_token: `0x${'AA'.repeat(20)}` }, 'same_token'],
    [{ amount_in: (2n ** 256n).toString() }, 'amount_too_large'],
    [{ simulated_min_out: '9'.repeat(78) }, 'amount_too_large'],
    [{}, undefined],
    [{ deadline_ts: now + 3600 }, undefined],
  ])('checks %j', (more, reason) => {
    expect(swapToken().check!({ ...input, ...more })?.reason).toBe(reason);
  });

  it.each([
    { from_token: '0x12' },
    { to_token: `0x${'gg'.repeat(20)}` },
    { amount_in: '1.5' },
    { amount_in: 1 },
    { amount_in: '-1' },
    { max_slippage_bps: 0 },
    { max_slippage_bps: 501 },
    { max_slippage_bps: 1.5 },
    { deadline_ts: '1800000000' },
    { session_key_id: '../demo' },
    { simulated_min_out: '0' },
  ])('does not fit the schema: %j', (more) => {
    const schema = swapToken().input as { safeParse(value: unknown): { success: boolean } };
    expect(schema.safeParse({ ...input, ...more }).success).toBe(false);
    expect(schema.safeParse(input).success).toBe(true);
  });

  it('is destructive, says so, can carry funds out, and has no field that stands for an approval', () => {
    const one = swapToken();
    expect(one).toMatchObject({ class: 'destructive', egress: true, idempotent: true });
    expect((one.description as DescriptionParts).warning).toMatch(/^DESTRUCTIVE\. Calling it asks a person/);
    expect(Object.keys((one.input as unknown as { shape: object }).shape)).toEqual(Object.keys(input));
    expect(one.ruleTarget!.of(input)).toBe(`0x${'aa'.repeat(20)}→0x${'bb'.repeat(20)}`);
  });

  it('names every part of its description, in 100 characters to 300 words', () => {
    for (const { description } of onchainTools(null)) {
      const parts = description as DescriptionParts;
      expect(Object.keys(parts)).toEqual(['does', 'returns', 'useWhen', 'dontUseFor', 'example', 'warning']);
      const text = Object.values(parts).join(' ');
      expect(text.length).toBeGreaterThan(100);
      expect(text.split(/\s+/).length).toBeLessThan(300);
      expect(JSON.parse(parts.example!)).toBeTruthy();
    }
  });
});
