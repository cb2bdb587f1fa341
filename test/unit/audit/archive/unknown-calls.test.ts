/** What bundles and logs say of calls, against a store that knows nothing: it was restored to the time before. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BundleArchive } from '../../../../src/audit/archive/bundle-archive';
import { storeRoots } from '../../../../src/audit/archive/store-roots';
import { compareWithStore } from '../../../../src/audit/archive/unknown-calls';
import { openStore } from '../../../../src/store/open-store';
import type { Store } from '../../../../src/store/store';
import { sample } from '../../../support/bundle-keys';

const NAME = '2026-01-31/inv-7@01234567.jsonl';

let folder: string;
let store: Store;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-unknown-'));
  store = await openStore(`file:${join(folder, 'store')}`);
});
afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

function kept(text: string): BundleArchive {
  mkdirSync(join(folder, 'bundles', '2026-01-31'), { recursive: true });
  writeFileSync(join(folder, 'bundles', NAME), text);
  return new BundleArchive(join(folder, 'bundles'));
}

function logged(...lines: (object | string)[]): string[] {
  const path = join(folder, 'worker.log');
  writeFileSync(path, lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join(''));
  return [path];
}

const DIGEST = 'ab12cd34ef56';
const line = (fields: object) => ({
  level: 'info',
  time: '2026-01-31T10:00:00.000Z',
  turn_id: 'inv-8',
  tool: 'pay',
  digest: DIGEST,
  class: 'destructive',
  msg: 'call ended',
  ...fields,
});

it('lists the effects of a kept bundle, and the bundle, whose turn the store does not know', async () => {
  const text = await sample('approval');
  const records = text
    .split('\n')
    .filter((one) => one.includes('"kind":"effect","n"'))
    .map((one) => (JSON.parse(one) as { body: { record: { digest: string; state: string; turn_id: string } } }).body.record);
  expect(records.map(({ state }) => state)).toEqual(['applied']);
  const { digest, turn_id } = records[0]!;
  expect(await compareWithStore(store, kept(text), [])).toEqual({
    calls: [expect.objectContaining({ turn_id, digest: digest.slice(0, 12), state: 'applied', from: NAME })],
    bundles: [expect.objectContaining({ name: NAME })],
    read: { bundles: 1, log_lines: 0 },
  });
});

it('takes from logs what says most of a call, and passes over all other lines', async () => {
  const logs = logged(
    line({ msg: 'decision', decision: 'approve', class: undefined }),
    line({ effect: 'applied', time: '2026-01-31T10:00:01.000Z' }),
    line({ effect: null, digest: 'ffffffffffff' }),
    line({ effect: 'applied', class: 'read', digest: 'eeeeeeeeeeee' }),
    line({ decision: 'deny', digest: 'dddddddddddd', msg: 'decision', class: undefined }),
    line({ decision: 'approve', digest: 'cccccccccccc', msg: 'decision', class: undefined, time: '2026-01-31T09:00:00.000Z' }),
    'worker 17: ready',
    '{"turn_id": 1, "effect": "applied", "class": "destructive"}',
  );
  const { calls, read } = await compareWithStore(store, null, logs);
  expect(calls.map(({ digest, state, at }) => [digest, state, at])).toEqual([
    ['cccccccccccc', 'approved', '2026-01-31T09:00:00.000Z'],
    [DIGEST, 'applied', '2026-01-31T10:00:01.000Z'],
  ]);
  expect(read.log_lines).toBe(8);
});

it.each([
  ['is encrypted', () => 'age-encryption.org/v1\n-> X25519 x\n', 'is encrypted'],
  ['is encrypted as text', () => '-----BEGIN AGE ENCRYPTED FILE-----\nYWdl\n', 'is encrypted'],
  ['is empty', () => '', 'is no whole bundle'],
  ['was cut short', async () => (await sample('approval')).split('\n').slice(0, 3).join('\n'), 'is no whole bundle'],
])('stops at a bundle that %s, as a collection of the store does: nobody knows what it says', async (_, text, why) => {
  const archive = kept(await text());
  await expect(compareWithStore(store, archive, [])).rejects.toThrow(why);
  const none = { list: async function* () {} };
  const roots = async () => {
    for await (const _text of storeRoots({ workflow: none, schedule: none } as never, archive)) continue;
  };
  await expect(roots()).rejects.toThrow(why);
});
