import { mkdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { canonical } from '../../../src/shared/json/canonical';
import { hashJson } from '../../../src/shared/json/digests';
import type { Json } from '../../../src/shared/json/json';
import { FileStore } from '../../../src/store/files/file-store';
import type { NewBlock } from '../../../src/store/store';
import { append, Draft } from '../../../src/store/core/transcript';
import { filesIn, removeStoreDirs, storeDir } from '../../support/store/store-dir';

const start: NewBlock = { parent: null, kind: 'start', at: '2026-01-31T09:59:59.123Z', bodies: [{ agent: 'payables' }, 'two'] };

afterAll(removeStoreDirs);

function nameOf(hash: string): string {
  return `objects/${hash}`;
}

test('a block is its canonical text, under its own SHA-256, and its parts follow it line by line', async () => {
  const dir = storeDir();
  const store = await FileStore.open(dir);
  const { hash, block, parts } = store.seal('run-1', start);
  await append(store, 'run-1', start);
  expect(hash).toBe(hashJson({ ...block }));
  expect(parts.map((part) => hashJson(JSON.parse(part.text) as Json))).toEqual(block.parts);
  const lines = [canonical({ ...block }), ...parts.map((part) => part.text)];
  expect(readFileSync(join(dir, nameOf(hash)), 'utf8')).toBe(lines.join('\n'));
});

test('blocks that are stored together share one file, and each is found under its own name', async () => {
  const dir = storeDir();
  const draft = new Draft(await FileStore.open(dir), 'run-1', null);
  draft.add({ kind: 'start', bodies: start.bodies }, start.at);
  draft.add({ kind: 'message', bodies: ['hello'] }, start.at);
  draft.add({ kind: 'end', bodies: [] }, start.at);
  await draft.store();
  const files = draft.blocks.map(({ hash }) => statSync(join(dir, nameOf(hash))).ino);
  expect(new Set(files).size).toBe(1);
  for (const { hash, block } of draft.blocks) {
    expect(await (await FileStore.open(dir)).getBlock(hash)).toMatchObject({ hash, block });
  }
});

test('a draft that was stored in part is complete afterwards', async () => {
  const dir = storeDir();
  const draft = new Draft(await FileStore.open(dir), 'run-1', null);
  draft.add({ kind: 'start', bodies: start.bodies }, start.at);
  draft.add({ kind: 'message', bodies: ['hello'] }, start.at);
  for (const { hash } of draft.blocks) writeFileSync(join(dir, nameOf(hash)), 'ha'); // two writers died
  await draft.store();
  for (const { hash, block } of draft.blocks) {
    expect(await (await FileStore.open(dir)).getBlock(hash)).toMatchObject({ hash, block });
  }
  expect(filesIn(join(dir, 'tmp'))).toEqual([]);
});

test('a store whose folder is gone says so on each write, and works again once the folder is back', async () => {
  const dir = storeDir();
  const store = await FileStore.open(dir);
  rmSync(join(dir, 'objects'), { recursive: true });
  const failed = await Promise.allSettled([store.putPart('run-1', 1), store.putPart('run-1', 2)]);
  expect(failed.map((outcome) => outcome.status)).toEqual(['rejected', 'rejected']);
  mkdirSync(join(dir, 'objects'));
  const part = await store.putPart('run-1', 3);
  expect(await (await FileStore.open(dir)).getPart(part)).toBe(3);
});

test('only the owner can read the store', async () => {
  const dir = join(storeDir(), 'deep', 'er');
  await FileStore.open(dir);
  expect(statSync(dir).mode & 0o777).toBe(0o700);
  expect(statSync(join(dir, 'objects')).mode & 0o777).toBe(0o700);
  expect(statSync(join(dir, 'salt.key')).mode & 0o777).toBe(0o600);
});

test('files of a killed writer are deleted once they are old, and not before', async () => {
  const dir = storeDir();
  await FileStore.open(dir);
  for (const name of ['old', 'new']) writeFileSync(join(dir, 'tmp', name), 'half');
  utimesSync(join(dir, 'tmp', 'old'), 1, 1);
  await FileStore.open(dir);
  expect(filesIn(dir).sort()).toEqual(['salt.key', 'store.json', 'tmp/new']);
});

test('a store key that was cut short is reported, not replaced', async () => {
  const dir = storeDir();
  await FileStore.open(dir);
  writeFileSync(join(dir, 'salt.key'), 'short');
  await expect(FileStore.open(dir)).rejects.toMatchObject({
    code: 'damaged',
    message: expect.stringContaining('salt.key') as string,
  });
});
