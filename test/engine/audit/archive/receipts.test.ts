/** Kept bundles get receipts of a witness: at once, or later if it does not answer. No bundle waits for it. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ofKey } from '../../../../src/attestation/bundle-signer';
import { trustedEntry } from '../../../../src/attestation/gateway-key';
import { SigningKey } from '../../../../src/attestation/signing-key';
import { BundleArchive } from '../../../../src/audit/archive/bundle-archive';
import { Sweeper } from '../../../../src/audit/archive/sweeper';
import { verifyBundle } from '../../../../src/audit/verify';
import { sha256Hex } from '../../../../src/shared/json/sha256';
import { WitnessLog } from '../../../../src/witness/log';
import { serveWitness } from '../../../../src/witness/server';
import { WITNESS, WITNESS_KEY } from '../../../support/audit/receipts';
import { capturedLog } from '../../../support/captured-log';
import { ask, say } from '../../../support/scripted-model';
import { pays } from '../../../support/tools';
import { eventually, withEngine } from '../../support/engine';

const folder = mkdtempSync(join(tmpdir(), 'holdfast-witnessed-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const TOKEN = 'hft_a-token-of-the-witness';

test('a bundle is kept while the witness does not answer, and gets its receipt later; the next one gets it at once', async () => {
  const own = SigningKey.generate();
  const archive = new BundleArchive(join(folder, 'bundles'));
  const script = [
    ask(['pay', { invoice: 'INV-1', cents: 700 }]),
    say('Paid.'),
    ask(['pay', { invoice: 'INV-2', cents: 700 }]),
    say('Paid.'),
  ];
  await withEngine({ tools: [pays('pay', [])], script }, async ({ client, store, taskQueue, start }) => {
    const captured = capturedLog();
    const sweeperAt = (url: string) => {
      const parts = { temporal: client.temporal, store, taskQueue, archive, signer: async () => ofKey(own), log: captured.log };
      return new Sweeper({ ...parts, receipts: { witness: { url, token: TOKEN }, timestamp: null } });
    };
    const kept = async (sweeper: Sweeper) => {
      const turn = await start();
      const [call] = await turn.waitForPending();
      await turn.approve(call.digest, { by: 'ana' });
      await turn.result();
      let name = '';
      await eventually('its bundle is kept', async () => (name = (await sweeper.sweep()).kept[0] ?? '') !== '');
      await sweeper.release();
      return name;
    };
    const found = async (name: string) => {
      const trust = [{ ...trustedEntry(own, { bundle: true }) }, { ...WITNESS, require: true as const }];
      const { verdict, receipts, not_before } = await verifyBundle([readFileSync(archive.pathOf(name))], trust);
      return { verdict, receipts: receipts.map(({ state }) => state), hasHead: not_before !== null };
    };
    const first = await kept(sweeperAt('http://127.0.0.1:1'));
    expect(await archive.namesMissing('witness')).toEqual([first]);
    expect(await found(first)).toEqual({ verdict: 'unwitnessed', receipts: [], hasHead: false });
    expect(captured.said('a receipt is missing')).toMatchObject([{ file: first }]);
    expect(captured.text()).not.toContain(TOKEN);

    const witness = await WitnessLog.open(join(folder, 'log.jsonl'), WITNESS_KEY);
    const server = await serveWitness({ log: witness, tokens: [sha256Hex(TOKEN)] }, { host: '127.0.0.1', port: 0 });
    const second = await kept(sweeperAt(server.url));
    expect(await archive.namesMissing('witness')).toEqual([]);
    expect(await found(first)).toEqual({ verdict: 'intact', receipts: ['holds'], hasHead: false });
    expect(await found(second)).toEqual({ verdict: 'intact', receipts: ['holds'], hasHead: true });
    expect(readdirSync(join(folder, 'bundles', first.slice(0, 10)))).toHaveLength(2);
    await server.close();
  });
});
