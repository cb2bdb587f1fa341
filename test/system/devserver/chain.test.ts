import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { anvilPath, startChain } from '../../../src/devserver/chain';
import { deployDemo } from '../../../packs/onchain/src';
import { rpc } from '../packs/onchain/support';

describe('the embedded chain', () => {
  it('is installed here: the onchain tests need it (npm optional dependency @foundry-rs/anvil)', () => {
    expect(anvilPath()).not.toBeNull();
  });

  it('listens on loopback with chain id 31337, is empty every time, and ends when it is stopped', async () => {
    const [one, two] = await Promise.all([startChain(), startChain()]);
    expect(one.rpcUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(await rpc(one.rpcUrl, 'eth_chainId')).toBe('0x7a69');
    const demo = await deployDemo(one.rpcUrl);
    expect(await rpc(one.rpcUrl, 'eth_getCode', demo.router, 'latest')).not.toBe('0x');
    expect(await rpc(two.rpcUrl, 'eth_blockNumber')).toBe('0x0');
    await Promise.all([one.stop(), two.stop()]);
    await expect(rpc(one.rpcUrl, 'eth_chainId')).rejects.toThrow('fetch failed');
    expect((await one.exited).how).toBeTruthy();
  });

  it('reports the node’s output when it does not come up', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'holdfast-anvil-'));
    const anvil = join(dir, 'anvil');
    await writeFile(anvil, '#!/bin/sh\necho "no such hardfork" >&2\nexit 3\n');
    await chmod(anvil, 0o755);
    await expect(startChain({ anvil })).rejects.toThrow(/did not come up.*\n.*no such hardfork/);
    await expect(startChain({ anvil: join(dir, 'none') })).rejects.toThrow(/did not come up/);
    await rm(dir, { recursive: true, force: true });
  });
});
