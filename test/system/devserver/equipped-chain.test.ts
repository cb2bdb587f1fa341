import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { equipDemoChain } from '../../../packs/showcase/src/demo-chain';
import { loadConfig } from '../../../src/config';
import { startChainWithContracts } from '../../../src/devserver/chain-with-contracts';
import { onchainTools } from '../../../packs/onchain/src';
import { eventually } from '../../engine/support/engine';
import { toolContext } from '../../support/tool-context';
import { chainTime, rpc } from '../packs/onchain/support';

describe('the chain of an embedded stack', () => {
  it('comes with the settings that the onchain tools need to find tokens and session', async () => {
    const said: string[] = [];
    const chain = (await startChainWithContracts(equipDemoChain, (line) => said.push(line)))!;
    try {
      const { evm } = loadConfig({ ...chain.settings, HOLDFAST_HOME: '/unused' });
      expect(evm).toMatchObject({ url: chain.rpcUrl, tokens: [{ symbol: 'AAA' }, { symbol: 'BBB' }] });
      expect(Object.keys(evm!.sessionKeys)).toEqual(['demo']);
      const simulate = onchainTools(evm)[0]!;
      const [from, to] = evm!.tokens;
      const input = { from_token: from!.address, to_token: to!.address, amount_in: '1000', max_slippage_bps: 50 };
      expect(await simulate.run(input, toolContext())).toMatchObject({ amount_in: '1000', amount_out: '1993' });
    } finally {
      await chain.stop();
    }
    await expect(rpc(chain.rpcUrl, 'eth_chainId')).rejects.toThrow('fetch failed');
    expect(said).toEqual([]);
  });

  it('has tokens at the addresses that the example in the tools’ descriptions names', async () => {
    const chain = (await startChainWithContracts(equipDemoChain, () => undefined))!;
    await chain.stop();
    const { tokens } = loadConfig({ ...chain.settings, HOLDFAST_HOME: '/unused' }).evm!;
    const { example } = onchainTools(null)[0]!.description as { example: string };
    expect(JSON.parse(example)).toMatchObject({
      from_token: expect.stringMatching(new RegExp(`^${tokens[0]!.address}$`, 'i')),
      to_token: expect.stringMatching(new RegExp(`^${tokens[1]!.address}$`, 'i')),
    });
  });

  it('makes blocks also when nobody sends anything, so that the time of a quote is not old', async () => {
    const chain = (await startChainWithContracts(
      async () => ({}),
      () => undefined,
      undefined,
      1,
    ))!;
    try {
      const first = await chainTime(chain.rpcUrl);
      await eventually('a later block', async () => (await chainTime(chain.rpcUrl)) > first);
    } finally {
      await chain.stop();
    }
  });

  it('is left out, with one line that says so, where anvil is not installed or does not come up', async () => {
    const said: string[] = [];
    const say = (line: string) => void said.push(line);
    const never = () => Promise.reject(new Error('not asked'));
    expect(await startChainWithContracts(never, say, null)).toBeNull();
    const folder = await mkdtemp(join(tmpdir(), 'holdfast-anvil-'));
    const anvil = join(folder, 'anvil');
    await writeFile(anvil, '#!/bin/sh\necho "no such hardfork" >&2\nexit 3\n');
    await chmod(anvil, 0o755);
    expect(await startChainWithContracts(never, say, anvil)).toBeNull();
    await rm(folder, { recursive: true, force: true });
    expect(said).toEqual([
      expect.stringMatching(/^No chain: anvil is not installed.*@foundry-rs\/anvil.*will say so\.$/),
      expect.stringMatching(/^No chain: .*no such hardfork.*will say so\.$/),
    ]);
  });

  it('is stopped when it cannot be equipped', async () => {
    const said: string[] = [];
    let url = '';
    const equip = (rpcUrl: string) => ((url = rpcUrl), Promise.reject(new Error('Out of gas.')));
    expect(await startChainWithContracts(equip, (line) => said.push(line))).toBeNull();
    await expect(rpc(url, 'eth_chainId')).rejects.toThrow('fetch failed');
    expect(said).toEqual(['No chain: Out of gas. The onchain tools will say so.']);
  });

  it('says so when it ends by itself', async () => {
    const said: string[] = [];
    const chain = (await startChainWithContracts(
      async () => ({}),
      (line) => said.push(line),
    ))!;
    process.kill(chain.pid, 'SIGKILL');
    await eventually('it is said', async () => said.length > 0);
    expect(said).toEqual([expect.stringMatching(/^The embedded chain has ended \(.*\); onchain tools fail from now on\.$/)]);
    await chain.stop();
  });
});
