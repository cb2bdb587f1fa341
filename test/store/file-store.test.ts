import { mkdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { canonical } from '../../src/shared/canonical';
import { hashJson } from '../../src/shared/digests';
import type { Json } from '../../src/shared/json';
import { FileStore } from '../../src/store/file-store';
import type { NewBlock } from '../../src/store/store';
import { append, Draft } from '../../src/store/transcript';
import { filesIn, removeStoreDirs, storeDir } from './support/store-dir';

const start: NewBlock = { parent: null, kind: 'start', at: '2026-01-31T09:59:59.123Z', bodies: [{ agent: 'payables' }, 'two'] };

afterAll(removeStoreDirs);

function nameOf(hash: string): string {
  return `objects/${hash}`;
}

test('what is stored is read back, also by a store that is opened later', async () => {
  const dir = storeDir();
  const store = await FileStore.open(dir);
  const part = await store.putPart('run-1', { text: 'é', list: [1, null] });
  const head = await append(store, 'run-1', start);
  for (const reader of [store, await FileStore.open(dir)]) {
    expect(await reader.getPart(part)).toEqual({ text: 'é', list: [1, null] });
    expect(await reader.getBlock(head)).toMatchObject({ hash: head, block: { kind: 'start' }, bodies: start.bodies });
  }
});

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

test('what is read cannot be changed under the next reader', async () => {
  const dir = storeDir();
  const head = await append(await FileStore.open(dir), 'run-1', start);
  const store = await FileStore.open(dir);
  const { bodies } = await store.getBlock(head);
  expect(() => bodies.push('three')).toThrow(TypeError);
  expect(() => ((bodies[0] as { agent: string }).agent = 'mallory')).toThrow(TypeError);
});

test('the same body in the same turn is one part, and in another turn another', async () => {
  const dir = storeDir();
  const store = await FileStore.open(dir);
  const part = await store.putPart('run-1', { b: 1, a: 2 });
  expect(await (await FileStore.open(dir)).putPart('run-1', { a: 2, b: 1 })).toBe(part);
  expect(await store.putPart('run-2', { a: 2, b: 1 })).not.toBe(part);
  expect(await (await FileStore.open(storeDir())).putPart('run-1', { a: 2, b: 1 })).not.toBe(part);
});

test('blocks that are stored together share one file, and each is found under its own name', async () => {
  const dir = storeDir();
  const draft = new Draft(await FileStore.open(dir), 'run-1', null);
  draft.add('start', start.at, start.bodies);
  draft.add('message', start.at, ['hello']);
  draft.add('end', start.at, []);
  await draft.store();
  const files = draft.blocks.map(({ hash }) => statSync(join(dir, nameOf(hash))).ino);
  expect(new Set(files).size).toBe(1);
  for (const { hash, block } of draft.blocks) {
    expect(await (await FileStore.open(dir)).getBlock(hash)).toMatchObject({ hash, block });
  }
});

test('a draft that was stored in part before is whole afterwards', async () => {
  const dir = storeDir();
  const draft = new Draft(await FileStore.open(dir), 'run-1', null);
  draft.add('start', start.at, start.bodies);
  draft.add('message', start.at, ['hello']);
  for (const { hash } of draft.blocks) writeFileSync(join(dir, nameOf(hash)), 'ha'); // two writers died
  await draft.store();
  for (const { hash, block } of draft.blocks) {
    expect(await (await FileStore.open(dir)).getBlock(hash)).toMatchObject({ hash, block });
  }
  expect(filesIn(join(dir, 'tmp'))).toEqual([]);
});

test('many stores at once all succeed, and all is there', async () => {
  const dir = storeDir();
  const store = await FileStore.open(dir);
  const parts = await Promise.all(Array.from({ length: 300 }, (_, n) => store.putPart('run-1', { n })));
  const later = await FileStore.open(dir);
  expect(await Promise.all(parts.map((part) => later.getPart(part)))).toEqual(parts.map((_, n) => ({ n })));
});

test('a store whose folder is gone says so to everyone who stores, and serves again once it is back', async () => {
  const dir = storeDir();
  const store = await FileStore.open(dir);
  rmSync(join(dir, 'objects'), { recursive: true });
  const failed = await Promise.allSettled([store.putPart('run-1', 1), store.putPart('run-1', 2)]);
  expect(failed.map((outcome) => outcome.status)).toEqual(['rejected', 'rejected']);
  mkdirSync(join(dir, 'objects'));
  const part = await store.putPart('run-1', 3);
  expect(await (await FileStore.open(dir)).getPart(part)).toBe(3);
});

test('a damaged byte of a block or of its parts is reported with the hash and the file', async () => {
  const dir = storeDir();
  const hash = await append(await FileStore.open(dir), 'run-1', start);
  const store = await FileStore.open(dir); // one that has not read it yet
  const path = join(dir, nameOf(hash));
  const bytes = readFileSync(path);
  const damage = async (bad: Buffer) => {
    writeFileSync(path, bad);
    const error: unknown = await store.getBlock(hash).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ name: 'StoreError', code: 'damaged' });
    expect((error as Error).message).toContain(hash);
    expect((error as Error).message).toContain(nameOf(hash));
    expect((error as Error).message).not.toContain(dir);
  };
  for (let at = 0; at < bytes.length; at++) {
    const bad = Buffer.from(bytes);
    bad[at] = (bad[at] ?? 0) ^ 1;
    await damage(bad);
  }
  await damage(bytes.subarray(0, 10));
  await damage(bytes.subarray(0, bytes.indexOf('\n')));
  await damage(Buffer.concat([bytes, Buffer.from('\n{}')]));
});

test('a damaged part is reported, and so is one with something behind it', async () => {
  const dir = storeDir();
  const hash = await (await FileStore.open(dir)).putPart('run-1', { amount: 100 });
  const store = await FileStore.open(dir);
  const path = join(dir, nameOf(hash));
  const bytes = readFileSync(path);
  for (const bad of [bytes.subarray(1), bytes.subarray(0, 10), Buffer.concat([bytes, Buffer.from('\n{}')])]) {
    writeFileSync(path, bad);
    await expect(store.getPart(hash)).rejects.toMatchObject({ code: 'damaged' });
  }
});

test('storing the right bytes again repairs a damaged object', async () => {
  const dir = storeDir();
  const hash = await append(await FileStore.open(dir), 'run-1', start);
  writeFileSync(join(dir, nameOf(hash)), 'x');
  await append(await FileStore.open(dir), 'run-1', start);
  expect((await (await FileStore.open(dir)).getBlock(hash)).bodies).toEqual(start.bodies);
});

test('a missing object is reported with the hash and the file', async () => {
  const store = await FileStore.open(storeDir());
  const hash = 'e'.repeat(64);
  await expect(store.getBlock(hash)).rejects.toMatchObject({
    code: 'not_found',
    message: expect.stringContaining(nameOf(hash)) as string,
  });
});

test.each(['', '../../salt.key', `${'a'.repeat(62)}..`, 'A'.repeat(64), `${'a'.repeat(64)}\n`, 'a'.repeat(63)])(
  'the reference %j is refused before it becomes a path',
  async (ref) => {
    const store = await FileStore.open(storeDir());
    await expect(store.getPart(ref)).rejects.toMatchObject({
      code: 'not_found',
      message: expect.stringContaining('64') as string,
    });
    await expect(store.getBlock(ref)).rejects.toMatchObject({ code: 'not_found' });
  },
);

test('a part is not read as a block, nor a block as a part', async () => {
  const store = await FileStore.open(storeDir());
  const part = await store.putPart('run-1', { v: 'holdfast.block/1' });
  await expect(store.getBlock(part)).rejects.toMatchObject({ code: 'damaged', message: expect.stringContaining(part) as string });
  await expect(store.getPart(await append(store, 'run-1', start))).rejects.toMatchObject({ code: 'damaged' });
});

test.each<[string, object]>([
  ['an unknown kind', { kind: 'gossip' }],
  ['a parent that is no hash', { parent: 'abc' }],
  ['a time that is none', { at: '2026-13-01T00:00:00Z' }],
])('a block with %s is not stored', async (_what, change) => {
  const dir = storeDir();
  const store = await FileStore.open(dir);
  await expect(append(store, 'run-1', { ...start, ...change } as NewBlock)).rejects.toThrow(TypeError);
  expect(filesIn(dir)).toEqual(['salt.key']);
});

test('only the owner can read the store', async () => {
  const dir = join(storeDir(), 'deep', 'er');
  await FileStore.open(dir);
  expect(statSync(dir).mode & 0o777).toBe(0o700);
  expect(statSync(join(dir, 'objects')).mode & 0o777).toBe(0o700);
  expect(statSync(join(dir, 'salt.key')).mode & 0o777).toBe(0o600);
});

test('what a killed writer left is swept away once it is old, and not before', async () => {
  const dir = storeDir();
  await FileStore.open(dir);
  for (const name of ['old', 'new']) writeFileSync(join(dir, 'tmp', name), 'half');
  utimesSync(join(dir, 'tmp', 'old'), 1, 1);
  await FileStore.open(dir);
  expect(filesIn(dir).sort()).toEqual(['salt.key', 'tmp/new']);
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
