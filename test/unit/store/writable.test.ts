import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStore } from '../../../src/store/open-store';

describe('the check that the store can be written', () => {
  let dir: string;
  beforeEach(async () => (dir = await mkdtemp(join(tmpdir(), 'holdfast-writable-'))));
  afterEach(() => rm(dir, { recursive: true, force: true }));

  it('leaves nothing behind', async () => {
    await (await openStore(`file:${dir}`)).checkWritable();
    expect(await readdir(join(dir, 'tmp'))).toEqual([]);
  });

  it('fails when the store is gone', async () => {
    const store = await openStore(`file:${dir}`);
    await rm(dir, { recursive: true });
    await expect(store.checkWritable()).rejects.toThrow(/ENOENT/);
  });

  it('no write of any part begins a second store if the store is gone', async () => {
    const store = await openStore(`file:${dir}`);
    await rm(dir, { recursive: true });
    await expect(store.registers.update('limit/read', () => ({ value: 1, answer: 1 }))).rejects.toThrow(/ENOENT/);
    await expect(store.putPart('run', 'text')).rejects.toThrow(/ENOENT/);
    await expect(store.putBytes(Buffer.from('bytes'))).rejects.toThrow(/ENOENT/);
    expect(existsSync(dir)).toBe(false);
  });
});
