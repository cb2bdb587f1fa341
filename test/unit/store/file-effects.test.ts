import { newRecord, type EffectRecord } from '../../../src/record/effect';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { encodeRecord, namesOf } from '../../../src/store/core/effects';
import { FileEffects } from '../../../src/store/files/file-effects';
import { FileStore } from '../../../src/store/files/file-store';
import { aClaim, filesIn, KEY, removeStoreDirs, storeDir } from '../../support/store/store-dir';

afterAll(removeStoreDirs);

test('a crash between index and claim leaves nothing that is found, and blocks nothing', async () => {
  const dir = storeDir();
  const { effects } = await FileStore.open(dir);
  await effects.claim(aClaim());
  rmSync(join(dir, 'effects', KEY), { recursive: true });
  expect(await effects.findByDigest('inv-7', 'd'.repeat(64))).toBeNull();
  expect(await effects.claim(aClaim())).toMatchObject({ claimed: true });
  expect(await effects.findByDigest('inv-7', 'd'.repeat(64))).toMatchObject({ state: 'claimed' });
});

describe('effect records as files', () => {
  const OTHER_KEY = `hf_${'2'.repeat(40)}`;
  const AT = '2026-01-01T00:00:00.000Z';
  const record = (more: Partial<EffectRecord> = {}) => ({
    ...newRecord(aClaim({ act: 'c'.repeat(64) }), 'claimed', AT),
    ...more,
  });
  let dir: string;
  let files: FileEffects;
  beforeEach(async () => {
    dir = storeDir();
    mkdirSync(join(dir, 'tmp'));
    files = await FileEffects.open(dir, join(dir, 'tmp'));
  });

  it('are one file for each version, and one entry for each name under which they are found', async () => {
    expect(await files.create(record(), 1)).toBe(true);
    expect(await files.create(record({ state: 'applied' }), 2)).toBe(true);
    const { digest, act } = namesOf(record());
    expect(filesIn(dir).sort()).toEqual(
      [
        join('effects', KEY, '1.1.json'),
        join('effects', KEY, '1.2.json'),
        join('effects-by-digest', digest, KEY),
        join('effects-by-digest', act!, KEY),
      ].sort(),
    );
    expect(readFileSync(join(dir, 'effects-by-digest', digest, KEY))).toHaveLength(0);
    expect(readFileSync(join(dir, 'effects', KEY, '1.1.json'))).toEqual(encodeRecord(record()));
  });

  it('without an act have one name', async () => {
    const { act: _act, ...bare } = record();
    await files.create(bare, 1);
    expect(readdirSync(join(dir, 'effects-by-digest'))).toEqual([namesOf(record()).digest]);
  });

  it('are created once: a version that is there stays as it is', async () => {
    await files.create(record(), 1);
    expect(await files.create(record({ run_id: 'run-9' }), 1)).toBe(false);
    expect(await files.last(KEY)).toEqual({ record: record(), version: 1 });
  });

  it('are read at their highest numbers, which are compared as numbers', async () => {
    expect(await files.last(KEY)).toBeNull();
    for (const [dispatch, version] of [
      [1, 1],
      [1, 2],
      [1, 10],
      [2, 1],
      [10, 1],
    ] as const)
      await files.create(record({ dispatch, run_id: `run-${dispatch}-${version}` }), version);
    expect(await files.last(KEY)).toMatchObject({ version: 1, record: { run_id: 'run-10-1' } });
    expect(await files.last(KEY, 1)).toMatchObject({ version: 10, record: { run_id: 'run-1-10' } });
    expect(await files.last(KEY, 2)).toMatchObject({ version: 1, record: { run_id: 'run-2-1' } });
    expect(await files.last(KEY, 3)).toBeNull();
  });

  it('are ignored under another file name', async () => {
    await files.create(record(), 1);
    for (const name of [
      '1.2.json~',
      'a1.2.json',
      '0.2.json',
      '1.0.json',
      '1.02.json',
      '01.2.json',
      '1-2.json',
      '1.2.txt',
      `1.${'9'.repeat(10)}.json`,
      `${'9'.repeat(10)}.1.json`,
    ])
      writeFileSync(join(dir, 'effects', KEY, name), 'x');
    expect(await files.last(KEY)).toEqual({ record: record(), version: 1 });
    writeFileSync(join(dir, 'effects', KEY, `${'9'.repeat(9)}.${'9'.repeat(9)}.json`), 'x');
    await expect(files.last(KEY)).rejects.toMatchObject({ code: 'damaged' });
  });

  it('are found under a name for all keys claimed under it, except a given key', async () => {
    const other = record({ idempotency_key: OTHER_KEY });
    await files.create(record(), 1);
    await files.create(record({ state: 'applied' }), 2);
    await files.create(other, 1);
    const { digest, act } = namesOf(record());
    for (const name of [digest, act!])
      expect(new Set(await files.under(name))).toEqual(new Set([record({ state: 'applied' }), other]));
    expect(await files.under(act!, KEY)).toEqual([other]);
    expect(await files.under('0'.repeat(64))).toEqual([]);
    writeFileSync(join(dir, 'effects-by-digest', digest, 'a note'), '');
    mkdirSync(join(dir, 'effects', 'a note'));
    writeFileSync(join(dir, 'effects', 'a note', '1.1.json'), 'x');
    expect(await files.under(digest, OTHER_KEY)).toEqual([record({ state: 'applied' })]);
  });

  it('in the place of another effect are damaged, and the error names that effect', async () => {
    for (const wrong of [record({ idempotency_key: OTHER_KEY }), record({ dispatch: 2 })]) {
      mkdirSync(join(dir, 'effects', KEY), { recursive: true });
      writeFileSync(join(dir, 'effects', KEY, '1.1.json'), encodeRecord(wrong));
      await expect(files.last(KEY)).rejects.toMatchObject({
        code: 'damaged',
        message: `Effect record effects/${KEY}/1.1.json is of another effect, ${wrong.idempotency_key}/${wrong.dispatch}. Restore it from a backup`,
      });
    }
    writeFileSync(join(dir, 'effects', KEY, '1.1.json'), '{}');
    await expect(files.last(KEY)).rejects.toThrow(`Effect record effects/${KEY}/1.1.json is damaged: it holds no record`);
  });

  it('count as missing only if there is no folder', async () => {
    writeFileSync(join(dir, 'effects', KEY), 'a file');
    await expect(files.last(KEY)).rejects.toMatchObject({ code: 'ENOTDIR' });
  });
});
