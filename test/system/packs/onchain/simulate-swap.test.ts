import { toolContext } from '../../../support/tool-context';
import { clientOf, errorOf, openStage, simulate, simulateInput, tool, UNIT, verdictOf, type Stage } from './support';
import { startRpcProxy } from './rpc-proxy';

describe('simulate_swap', () => {
  let stage: Stage;
  beforeAll(async () => void (stage = await openStage()));
  afterAll(() => stage?.close());

  it('says what the pool gives at this block, and the least that the slippage allows', async () => {
    const block = await clientOf(stage.node.rpcUrl).getBlock();
    const result = await simulate(stage.settings, simulateInput(stage));
    // 10^24 and 2 * 10^24 in the pool, 10^18 in, 0.3 % fee.
    const out = (UNIT * 997n * 2_000_000n * UNIT) / (1_000_000n * UNIT * 1000n + UNIT * 997n);
    expect(result).toEqual({
      ...{ from_token: stage.demo.tokens[0], to_token: stage.demo.tokens[1], amount_in: UNIT.toString() },
      amount_out: out.toString(),
      simulated_min_out: ((out * 9950n + 9999n) / 10_000n).toString(),
      price_impact_bps: 31,
      fee_bps: 30,
      block_number: Number(block.number),
      as_of: new Date(Number(block.timestamp) * 1000).toISOString(),
    });
  });

  it.each([(text: string) => text.toLowerCase(), (text: string) => text.toUpperCase().replace('0X', '0x')])(
    'takes addresses without a checksum, of tokens and of the router: %#',
    async (write) => {
      const [from_token, to_token] = stage.demo.tokens.map(write);
      const settings = { ...stage.settings, router: write(stage.demo.router) };
      const result = await simulate(settings, simulateInput(stage, { from_token, to_token }));
      expect(result).toMatchObject({ from_token, to_token, price_impact_bps: 31 });
    },
  );

  it('keeps amounts exact that no float holds', async () => {
    const amount_in = '123456789012345678901';
    expect((await simulate(stage.settings, simulateInput(stage, { amount_in }))).amount_in).toBe(amount_in);
  });

  it('refuses an impossible swap with a reason', async () => {
    const refused = (more: object) => verdictOf(simulate(stage.settings, simulateInput(stage, more)));
    expect(await refused({ amount_in: (2n ** 112n).toString() })).toBe('INVALID_PARAMS amount_too_large, nothing happened');
    expect(await refused({ to_token: `0x${'12'.repeat(20)}` })).toBe('RESOURCE_NOT_FOUND no_pool, nothing happened');
    const back = { from_token: stage.demo.tokens[1], to_token: stage.demo.tokens[0], amount_in: '1' };
    expect(await refused(back)).toBe('INVALID_PARAMS amount_too_small, nothing happened');
  });

  it('refuses one token twice, and amounts of 2^256, before it asks the chain', () => {
    const check = tool('simulate_swap', stage.settings).check!;
    const [token] = stage.demo.tokens;
    expect(check(simulateInput(stage, { to_token: token.toUpperCase().replace('0X', '0x') }))).toMatchObject({
      reason: 'same_token',
    });
    expect(check(simulateInput(stage, { amount_in: (2n ** 256n).toString() }))).toMatchObject({ reason: 'amount_too_large' });
    expect(check(simulateInput(stage))).toBeUndefined();
  });

  it('says that no chain is configured, and which setting is missing', async () => {
    const { detail, nothingHappened } = await errorOf(simulate(null, simulateInput(stage)));
    expect(detail).toMatchObject({ code: 'NETWORK_ERROR', reason: 'no_chain', message: 'No chain is configured.' });
    expect(detail.hint).toContain('HOLDFAST_EVM_URL');
    expect(nothingHappened).toBe(true);
  });

  it('distinguishes the failures of a node, and never shows its URL', async () => {
    const answers: [status: number, body: string, verdict: string][] = [
      [401, '{}', 'UNAUTHORIZED rpc_unauthorized, nothing happened'],
      [429, '{}', 'RATE_LIMITED rpc_busy, nothing happened'],
      [502, 'bad gateway', 'NETWORK_ERROR chain_unreachable, nothing happened'],
      [200, 'no JSON', 'NETWORK_ERROR chain_unreachable, nothing happened'],
      [200, 'x'.repeat(2 * 1024 * 1024 + 1), 'NETWORK_ERROR chain_unreachable, nothing happened'],
      [200, '{"jsonrpc":"2.0","id":1,"error":{"code":-32005,"message":"slow down"}}', 'RATE_LIMITED rpc_busy, nothing happened'],
      [
        200,
        '{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"what?"}}',
        'EXECUTION_ERROR rpc_refused, nothing happened',
      ],
    ];
    for (const [status, body, verdict] of answers) {
      const proxy = await startRpcProxy(stage.node.rpcUrl, { before: async () => ({ status, body }) });
      const url = `${proxy.url}/v2/secret-api-key`;
      const error = await errorOf(simulate({ ...stage.settings, url }, simulateInput(stage)));
      expect(`${error.detail.code} ${error.detail.reason}, nothing happened`).toBe(verdict);
      expect(JSON.stringify([error.detail, error.stack, String(error.cause)])).not.toContain('secret-api-key');
      await proxy.close();
      if (status === 401) {
        expect(await verdictOf(simulate({ ...stage.settings, url }, simulateInput(stage)))).toBe(
          'NETWORK_ERROR chain_unreachable, nothing happened',
        );
      }
    }
  });

  it('ends with the signal', async () => {
    const proxy = await startRpcProxy(stage.node.rpcUrl, { before: () => new Promise(() => undefined) });
    const abort = new AbortController();
    const asked = tool('simulate_swap', { ...stage.settings, url: proxy.url }).run(
      simulateInput(stage),
      toolContext({ signal: abort.signal }),
    );
    abort.abort();
    expect((await errorOf(asked as Promise<unknown>)).detail.code).toBe('NETWORK_ERROR');
    await proxy.close();
  });
});
