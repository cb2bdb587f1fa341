import { randomBytes } from 'node:crypto';
import type { Keys } from '../../../src/encryption/key-source';
import { sha256Hex } from '../../../src/shared/json/sha256';
import { createStore } from '../../../src/store/core/create-store';
import { encryptedBacking } from '../../../src/store/core/encrypted-backing';
import { FileStore } from '../../../src/store/files/file-store';
import { partName, type PartStore } from '../../../src/store/parts/part-store';
import { OUTSIDE_FROM, partsBacking } from '../../../src/store/parts/parts-backing';
import { ringOf, ringService } from '../../support/encryption/ring';
import { removeStoreDirs, storeDir } from '../../support/store/store-dir';

afterAll(removeStoreDirs);

class MemoryParts implements PartStore {
  readonly where = 'memory';
  private readonly parts = new Map<string, Buffer>();

  async put(bytes: Uint8Array): Promise<string> {
    const name = partName(sha256Hex(bytes), Date.now());
    this.parts.set(name, Buffer.from(bytes));
    return name;
  }
  async get(name: string): Promise<Buffer | null> {
    return this.parts.get(name) ?? null;
  }
  async *list() {
    for (const [name, { length }] of this.parts) yield { name, size: length };
  }
  async remove(names: string[]): Promise<void> {
    for (const name of names) this.parts.delete(name);
  }
  async check(): Promise<void> {}
  close(): void {}
}

const FILES = {
  large: randomBytes(OUTSIDE_FROM),
  'large text': Buffer.from('one line\nanother line\n'.repeat(OUTSIDE_FROM)),
  small: randomBytes(100),
};

async function stores() {
  const [dir, parts, ring] = [storeDir(), new MemoryParts(), ringOf('one')];
  const keysOf = async (current: string | null) => (await ringService({ ...ring, current })).keys;
  const open = async (keys: Keys | null, outside: PartStore | null = parts) =>
    createStore(encryptedBacking(partsBacking(await FileStore.backing(dir), outside), keys));
  return { open, plain: null, reading: await keysOf(null), writing: await keysOf('one') };
}

describe.each(Object.entries(FILES))('a file in a store with parts outside: %s', (_name, bytes) => {
  test('is read after encryption is turned on, by a ring that writes and by one that only reads', async () => {
    const { open, plain, reading, writing } = await stores();
    const hash = await (await open(plain)).putBytes(bytes);
    for (const keys of [reading, writing]) expect((await (await open(keys)).getBytes(hash)).equals(bytes)).toBe(true);
  });

  test('is read after it was stored by a ring that only reads', async () => {
    const { open, reading, writing } = await stores();
    const hash = await (await open(reading)).putBytes(bytes);
    for (const keys of [reading, writing]) expect((await (await open(keys)).getBytes(hash)).equals(bytes)).toBe(true);
  });

  test('is read after the ring writes no more, also when it was stored again', async () => {
    const { open, reading, writing } = await stores();
    const hash = await (await open(writing)).putBytes(bytes);
    expect((await (await open(reading)).getBytes(hash)).equals(bytes)).toBe(true);
    for (const keys of [reading, writing]) {
      await (await open(keys)).putBytes(bytes);
      for (const reader of [reading, writing]) expect((await (await open(reader)).getBytes(hash)).equals(bytes)).toBe(true);
    }
  });
});

test('a process without the setting says what to set for a large file, and keeps files of its own', async () => {
  const { open, plain, writing } = await stores();
  const hash = await (await open(plain)).putBytes(FILES.large);
  for (const keys of [plain, writing]) {
    const without = await open(keys, null);
    await expect(without.getBytes(hash)).rejects.toThrow(/in an S3-compatible store: set HOLDFAST_PARTS/);
    const own = randomBytes(OUTSIDE_FROM);
    expect((await without.getBytes(await without.putBytes(own))).equals(own)).toBe(true);
    await expect(without.getBytes('0'.repeat(64))).rejects.toMatchObject({ code: 'not_found' });
  }
});
