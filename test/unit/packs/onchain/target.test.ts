/** The target of a swap: part of the digest, and shown on the card also if there is no preview. */
import { onchainTools, sessionKeysFrom, type OnchainSettings } from '../../../../packs/onchain/src';
import { approvalCard } from '../../../../src/cards/card';
import type { JsonObject } from '../../../../src/shared/json/json';
import { targetHash, targetOf } from '../../../../src/tools/admit/policy';

const KEY = `0x${'11'.repeat(32)}`;
/** The address of `KEY`. */
const ACCOUNT = '0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A';

const settings: Required<OnchainSettings> = {
  url: 'https://node.example/v2/the-key',
  chainId: 31337,
  router: `0x${'cc'.repeat(20)}`,
  sessionKeys: { demo: KEY },
  tokens: [],
  journal: '/unused',
  confirmations: 1,
  waitMs: 1000,
  maxGasCost: '1000',
};

const input = {
  from_token: `0x${'aa'.repeat(20)}`,
  to_token: `0x${'bb'.repeat(20)}`,
  amount_in: '1000',
  max_slippage_bps: 50,
  deadline_ts: Math.floor(Date.now() / 1000) + 600,
  session_key_id: 'demo',
  simulated_min_out: '1',
};

function targetWith(more: Partial<OnchainSettings>, name = 'swap_token'): JsonObject | null {
  const tool = onchainTools({ ...settings, ...more }).find((one) => one.name === name)!;
  const found = targetOf(tool, input);
  if (!found.ok) throw new Error(JSON.stringify(found.error));
  return found.target;
}

/** For each setting: another value, with another target, or the reason why the target is the same. A new setting needs a line. */
const SETTINGS: Record<
  keyof OnchainSettings,
  { other: Partial<OnchainSettings> } | { same: string; other: Partial<OnchainSettings> }
> = {
  url: { other: { url: 'https://other.example/v2/the-key' } },
  chainId: { other: { chainId: 1 } },
  router: { other: { router: `0x${'dd'.repeat(20)}` } },
  sessionKeys: { other: { sessionKeys: { demo: `0x${'22'.repeat(32)}` } } },
  tokens: { same: 'words for the model', other: { tokens: [{ symbol: 'AAA', address: input.from_token }] } },
  journal: { same: 'the router lets each swap happen once, whatever a journal knows', other: { journal: '/elsewhere' } },
  confirmations: { same: 'when a swap counts', other: { confirmations: 12 } },
  waitMs: { same: 'how long one attempt waits', other: { waitMs: 2000 } },
  maxGasCost: { same: 'a line of the preview', other: { maxGasCost: '2000' } },
};

describe('the target of a swap', () => {
  it('is the chain, the node, the router and the account, without the node’s key', () => {
    expect(targetWith({})).toEqual({ chain_id: 31337, node: 'node.example', router: settings.router, account: ACCOUNT });
    expect(targetWith({}, 'simulate_swap')).toEqual({ chain_id: 31337, node: 'node.example', router: settings.router });
  });

  it.each(Object.entries(SETTINGS))(
    'has another digest with another value of a setting on which the swap depends: %s',
    (_name, line) => {
      expect(targetHash(targetWith(line.other)) === targetHash(targetWith({}))).toBe('same' in line);
    },
  );

  it('is shown on a card that has no preview', () => {
    const card = approvalCard({
      ...{ tool: 'swap_token', version: '1.0.0', callId: '1.1', digest: 'a'.repeat(64), requester: 'ana', agent: 'trader' },
      ...{ reason: 'class destructive always asks', input, preview: null, expiresAt: '2026-11-25T00:00:00.000Z' },
      target: targetWith({}),
    });
    expect(card).toContain('chain_id: 31337');
    expect(card).toContain(`account: ${ACCOUNT}`);
  });

  it('has the account of a vault that knows it without a request, and otherwise none', () => {
    const { get } = sessionKeysFrom({ demo: KEY });
    expect(targetWith({ sessionKeys: { get, addressOf: () => ACCOUNT } })).toMatchObject({ account: ACCOUNT });
    expect(targetWith({ sessionKeys: { get } })).not.toHaveProperty('account');
    expect(targetWith({ sessionKeys: { other: KEY } })).not.toHaveProperty('account');
  });

  it.each(['', '0', '-1', '0.1', '1e18', '0x10'])('cannot cost %j at most', (maxGasCost) => {
    expect(() => onchainTools({ ...settings, maxGasCost })).toThrow(/^maxGasCost is ".*"; it must be a whole number of wei/);
  });

  it.each([0, -1, 1.5, 2 ** 53])('cannot have the chain id %s', (chainId) => {
    expect(() => onchainTools({ ...settings, chainId })).toThrow(`chainId is ${chainId}; it must be a whole number`);
  });
});
