/** What `audit retain` deletes, and that a file of legal holds of an older version stops it. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ofKey } from '../../../../src/attestation/bundle-signer';
import { BundleArchive } from '../../../../src/audit/archive/bundle-archive';
import { LegalHoldsFound, retain } from '../../../../src/audit/archive/retain';
import { BUNDLE_KEY, sample } from '../../../support/bundle-keys';

const FILE = '2026-01-31/inv-7@01234567.jsonl';
const HOLD =
  '{"action":"hold","at":"2026-01-31T10:00:00.000Z","by":"ana","reason":"dispute 12","turn_id":"inv-7","v":"holdfast.hold/1"}\n';

let folder: string;
let bundle: string;
beforeAll(async () => void (bundle = await sample('approval')));
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-retain-'));
  mkdirSync(join(folder, '2026-01-31'));
  writeFileSync(join(folder, FILE), bundle);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function retained(dryRun = false): Promise<[file: string, did: string][]> {
  const request = { before: '2100-01-01T00:00:00.000Z', why: 'rule 7', dryRun, signer: ofKey(BUNDLE_KEY) };
  const all: [string, string][] = [];
  for await (const { file, did } of retain(new BundleArchive(folder), request)) all.push([file, did]);
  return all;
}

const files = async () => (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.jsonl')).sort();

it('deletes an old bundle, and leaves a tombstone', async () => {
  expect(await retained(true)).toEqual([[FILE, 'deleted']]);
  expect(await files()).toEqual([FILE]);
  expect(await retained()).toEqual([[FILE, 'deleted']]);
  expect(await files()).toEqual(['tombstones.jsonl']);
  expect(JSON.parse(readFileSync(join(folder, 'tombstones.jsonl'), 'utf8'))).toMatchObject({ file: FILE, why: 'rule 7' });
});

it.each([
  ['a hold', HOLD],
  ['a hold that was released', HOLD + HOLD.replace('"hold"', '"release"')],
  ['what nobody can read', '{"action":"ho'],
])('deletes nothing where holds.jsonl has %s, and says what to do', async (_, text) => {
  writeFileSync(join(folder, 'holds.jsonl'), text);
  for (const dryRun of [true, false]) {
    const refused = retained(dryRun);
    await expect(refused).rejects.toBeInstanceOf(LegalHoldsFound);
    await expect(refused).rejects.toThrow(`${join(folder, 'holds.jsonl')} lists turns under a legal hold`);
    await expect(refused).rejects.toThrow('legal holds were removed from holdfast');
    await expect(refused).rejects.toThrow('Move the bundles of these turns to another folder, then delete the file');
  }
  expect(await files()).toEqual([FILE, 'holds.jsonl']);
  rmSync(join(folder, 'holds.jsonl'));
  expect(await retained()).toEqual([[FILE, 'deleted']]);
});

it('an empty holds.jsonl stops nothing', async () => {
  writeFileSync(join(folder, 'holds.jsonl'), '');
  expect(await retained()).toEqual([[FILE, 'deleted']]);
});
