import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Keys } from '../../../src/encryption/key-source';
import { openStore } from '../../../src/store/open-store';
import { append } from '../../../src/store/core/transcript';
import type { NewBlock } from '../../../src/store/store';
import { testStore } from '../../../src/testing/test-store';
import { ringOf, ringService, without } from '../../support/encryption/ring';
import { filesIn, removeStoreDirs, storeDir } from '../../support/store/store-dir';

const CANARY = 'canary-4711';
const start: NewBlock = { parent: null, kind: 'start', at: '2026-01-31T09:59:59.123Z', bodies: [{ text: CANARY }, 'two'] };

afterAll(removeStoreDirs);

const opened = (dir: string, keys: Keys | null) => openStore(`file:${dir}`, keys);
const texts = (dir: string) => filesIn(dir).map((name) => readFileSync(join(dir, name), 'latin1'));

it('keeps what every store must keep', async () => {
  const dir = storeDir();
  const { keys } = await ringService(ringOf('one', 'two'));
  const { claims } = await testStore(() => opened(dir, keys));
  expect(claims.filter(({ held }) => !held)).toEqual([]);
});

it('content is in none of its files, and hashes are those of a plain store', async () => {
  const dir = storeDir();
  const { keys, set } = await ringService(ringOf('one'));
  const store = await opened(dir, keys);
  const part = await store.putPart('run-1', { text: CANARY });
  const bytes = await store.putBytes(Buffer.from(CANARY));
  await append(store, 'run-1', start);
  await store.registers.update('idempotency/x', () => ({ value: { answer: CANARY }, answer: null }));
  expect(texts(dir).filter((text) => text.includes('canary') || text.includes(Buffer.from(CANARY).toString('base64')))).toEqual(
    [],
  );
  const before = filesIn(dir).map((name) => readFileSync(join(dir, name), 'latin1'));
  expect(await store.putPart('run-1', { text: CANARY })).toBe(part);
  expect(texts(dir)).toEqual(before);

  await set(ringOf('other'));
  const { hash } = store.seal('run-1', start);
  const [again, plain] = [await opened(dir, keys), await opened(dir, null)];
  expect(plain.seal('run-1', start).hash).toBe(hash);
  await expect(again.getPart(part)).rejects.toMatchObject({ code: 'damaged' });
  await expect(again.getBytes(bytes)).rejects.toThrow('of another key ring');
  await expect(again.registers.read('idempotency/x')).rejects.toThrow('The register idempotency/x cannot be decrypted');
});

it('reads what was stored before there were keys, and after a rotation; a missing key is named', async () => {
  const dir = storeDir();
  const plain = await opened(dir, null);
  const old = await plain.putPart('run-1', 'old');
  const oldBytes = await plain.putBytes(Buffer.from('old'));
  await plain.registers.update('kept/x', () => ({ value: 'old', answer: null }));
  const ring = ringOf('one', 'two');
  const { keys, set } = await ringService(ring);
  const store = await opened(dir, keys);
  expect(await store.getPart(old)).toBe('old');
  expect((await store.getBytes(oldBytes)).toString()).toBe('old');
  expect(await store.registers.update('kept/x', (value) => ({ value: 'new', answer: value }))).toBe('old');
  const part = await store.putPart('run-1', CANARY);
  await set(without(ring, 'two'));
  const lacking = await opened(dir, keys);
  await expect(lacking.getPart(part)).rejects.toThrow('encrypted with the key two');
  await expect(lacking.registers.update('kept/x', () => ({ answer: null }))).rejects.toThrow('encrypted with the key two');
  await set(ring);
  expect(await lacking.getPart(part)).toBe(CANARY);
  expect((await lacking.registers.read('kept/x')).value).toBe('new');
});

it('a changed line, and one of another object, are damage', async () => {
  const dir = storeDir();
  const { keys } = await ringService(ringOf('one'));
  const store = await opened(dir, keys);
  const [one, two] = [await store.putPart('run-1', 'one'), await store.putPart('run-1', 'two')];
  const [first, second] = [one, two].map((hash) => join(dir, 'objects', hash));
  const text = readFileSync(first!, 'utf8');
  writeFileSync(second!, text);
  writeFileSync(
    first!,
    text.replace(/"data":"(.{40})./, (_, begin: string) => `"data":"${begin}_`),
  );
  const again = await opened(dir, keys);
  await expect(again.getPart(one)).rejects.toThrow(`Object ${one} is damaged: in objects/${one} a line cannot be decrypted`);
  await expect(again.getPart(two)).rejects.toThrow(`${two} hashes to ${one}`);
});

it('a file with the text of a block does not replace the block', async () => {
  const dir = storeDir();
  const { keys } = await ringService(ringOf('one'));
  const store = await opened(dir, keys);
  const head = await append(store, 'run-1', start);
  const { hash, text } = store.seal('run-1', start);
  expect(await store.putBytes(Buffer.from(text))).toBe(hash);
  const again = await opened(dir, keys);
  expect((await again.getBlock(head)).bodies).toEqual(start.bodies);
  expect((await again.getBytes(hash)).toString()).toBe(text);
});
