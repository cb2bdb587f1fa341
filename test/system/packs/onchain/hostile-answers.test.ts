/** Answers of a node, or of a contract that it runs: they are read, and trigger nothing else. */
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { OnchainSettings } from '../../../../packs/onchain/src';
import { toolContext } from '../../../support/tool-context';
import { block, madeUpSwap, offchainLookup, startMadeUpNode, type Answers } from './made-up-node';
import { newKey, swap, tool, verdictOf } from './support';
import type { Tool } from '../../../../src/tools/define/tool';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** The settings for a node that answers so. */
async function settingsFor(answers: Answers): Promise<OnchainSettings> {
  const journal = await mkdtemp(join(tmpdir(), 'holdfast-hostile-node-'));
  closing.push(() => rm(journal, { recursive: true, force: true }));
  const node = await startMadeUpNode(answers);
  closing.push(node.close);
  return { ...node.settings, journal };
}

describe('a hostile answer', () => {
  it.each(['simulate_swap', 'swap_token', 'preview'])('of a contract cannot make %s ask an address of its own', async (what) => {
    let asked = 0;
    const elsewhere = createServer((_request, response) => void (asked++, response.end('{"data":"0x"}')));
    await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve));
    closing.push(() => (elsewhere.closeAllConnections(), elsewhere.close()));
    const url = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}/{sender}/{data}`;
    const settings = await settingsFor({ eth_call: () => ({ revert: offchainLookup([url]) }) });
    const one: Tool = tool(what === 'preview' ? 'swap_token' : (what as 'swap_token'), settings);
    const work = async () =>
      (what === 'preview' ? one.preview! : one.run)(madeUpSwap(), toolContext({ idempotencyKey: newKey() }));
    expect([await verdictOf(work()), asked]).toEqual(['EXECUTION_ERROR reverted, nothing happened', 0]);
  });

  it.each<[string, Answers]>([
    ['eth_estimateGas', { eth_estimateGas: () => ({ result: `0x${'f'.repeat(70_000)}` }) }],
    ['eth_call', { eth_call: () => ({ result: `0x${'f'.repeat(70_000)}` }) }],
    ['a revert', { eth_call: () => ({ revert: `0x${'f'.repeat(70_000)}` }) }],
  ])('of more than 64 KB in one text is not read: %s', async (_method, answers) => {
    const verdict = await verdictOf(swap(await settingsFor(answers), madeUpSwap()));
    expect(verdict).toBe('NETWORK_ERROR chain_unreachable, nothing happened');
  });

  it('cannot make a swap pay a priority fee above the most that its gas may cost', async () => {
    const settings = await settingsFor({
      eth_maxPriorityFeePerGas: () => ({ result: '0xde0b6b3a7640000' }),
      eth_getBalance: () => ({ result: `0x${'f'.repeat(40)}` }),
    });
    expect(await verdictOf(swap(settings, madeUpSwap()))).toBe('EXECUTION_ERROR gas_too_expensive, nothing happened');
  });

  it('without a base fee ends a swap before it is signed', async () => {
    const answers = { eth_getBlockByNumber: () => ({ result: block({ baseFeePerGas: undefined }) }) };
    const verdict = await verdictOf(swap(await settingsFor(answers), madeUpSwap()));
    expect(verdict).toBe('EXECUTION_ERROR no_base_fee, nothing happened');
  });
});
