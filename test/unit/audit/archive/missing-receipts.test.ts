/** Receipts that kept bundles lack: each service is asked by itself, and again after a pause. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BundleArchive } from '../../../../src/audit/archive/bundle-archive';
import { MissingReceipts } from '../../../../src/audit/archive/missing-receipts';
import { readTrailer } from '../../../../src/audit/archive/receipts';
import { sha256Hex } from '../../../../src/shared/json/sha256';
import { WitnessLog } from '../../../../src/witness/log';
import { serveWitness } from '../../../../src/witness/server';
import { WITNESS_KEY } from '../../../support/audit/receipts';
import { sample } from '../../../support/bundle-keys';
import { capturedLog } from '../../../support/captured-log';

const TOKEN = 'hft_a-token-of-the-witness';
const NAMES = ['2026-01-30/inv-1@01234567.jsonl', '2026-01-31/call@b_2@01234567.jsonl', '2026-01-31/inv-3@01234567.jsonl'];

let folder: string;
let archive: BundleArchive;
let witness: { url: string; close(): Promise<void> };
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-missing-receipts-'));
  archive = new BundleArchive(folder);
  for (const [index, name] of NAMES.entries()) {
    mkdirSync(join(folder, name.slice(0, 10)), { recursive: true });
    writeFileSync(join(folder, name), await sample((['approval', 'session', 'spoken'] as const)[index]!));
  }
  const log = await WitnessLog.open(join(folder, 'log.jsonl'), WITNESS_KEY);
  witness = await serveWitness({ log, tokens: [sha256Hex(TOKEN)] }, { host: '127.0.0.1', port: 0 });
});
afterEach(async () => {
  await witness.close();
  rmSync(folder, { recursive: true, force: true });
});

const signersOf = async (name: string) => (await readTrailer(archive.pathOf(name))).receipts.map(({ by }) => by);

it('an authority that does not answer delays no receipt of the witness, and is not asked again at once', async () => {
  const captured = capturedLog();
  const services = { witness: { url: witness.url, token: TOKEN }, timestamp: 'http://127.0.0.1:1' };
  const missing = new MissingReceipts(archive, services, captured.log);
  for (const name of NAMES) await missing.note(name);
  await missing.ask();
  await missing.ask();
  for (const name of NAMES) expect(await signersOf(name)).toEqual(['witness']);
  expect(await archive.namesMissing('witness')).toEqual([]);
  expect(await archive.namesMissing('timestamp')).toEqual(NAMES);
  expect(captured.said('a receipt is missing')).toMatchObject([{ file: NAMES[0], by: 'timestamp' }]);
  expect(captured.text()).not.toContain(TOKEN);
});

it('a damaged bundle is an error in the log, once, and the others get their receipts', async () => {
  const damaged = archive.pathOf(NAMES[0]!);
  writeFileSync(damaged, readFileSync(damaged, 'utf8').slice(0, -10));
  const captured = capturedLog();
  const missing = new MissingReceipts(archive, { witness: { url: witness.url, token: TOKEN }, timestamp: null }, captured.log);
  for (const name of [...NAMES, '2026-02-01/deleted@01234567.jsonl']) await missing.note(name);
  await missing.ask();
  await missing.ask();
  expect(captured.said('a kept bundle is damaged, and gets no receipt')).toMatchObject([{ file: NAMES[0], level: 'error' }]);
  for (const name of NAMES.slice(1)) expect(await signersOf(name)).toEqual(['witness']);
  expect(await archive.namesMissing('witness')).toEqual([]);
  expect(captured.said('a receipt is missing')).toEqual([]);
});

it('a bundle that the disk does not give, or that a service gives no receipt, does not keep the others from theirs', async () => {
  rmSync(archive.pathOf(NAMES[0]!));
  mkdirSync(archive.pathOf(NAMES[0]!)); // reading it fails, also for root
  const refused = createServer((_request, response) => void response.writeHead(500).end('busy'));
  await once(refused.listen(0, '127.0.0.1'), 'listening');
  const timestamp = `http://127.0.0.1:${(refused.address() as AddressInfo).port}`;
  const captured = capturedLog();
  const missing = new MissingReceipts(archive, { witness: { url: witness.url, token: TOKEN }, timestamp }, captured.log);
  for (const name of NAMES) await missing.note(name);
  await missing.ask();
  for (const name of NAMES.slice(1)) expect(await signersOf(name)).toEqual(['witness']);
  expect(await archive.namesMissing('witness')).toEqual([NAMES[0]]);
  expect(captured.said('a kept bundle cannot be read, and has no receipt yet')[0]).toMatchObject({
    file: NAMES[0],
    level: 'warn',
  });
  const now = jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 3_600_000);
  await missing.ask();
  now.mockRestore();
  expect(captured.said('a receipt is missing').map(({ file }) => file)).toEqual([NAMES[1], NAMES[2]]);
  refused.close();
});

it('without a service nothing is noted or asked', async () => {
  const missing = new MissingReceipts(archive, { witness: null, timestamp: null }, capturedLog().log);
  await missing.note(NAMES[0]!);
  await missing.ask();
  expect(await missing.head()).toBeNull();
  expect(await archive.namesMissing('witness')).toEqual([]);
  expect(await signersOf(NAMES[0]!)).toEqual([]);
});
