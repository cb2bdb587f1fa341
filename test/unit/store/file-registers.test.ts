/** Which registers of a store of files are on disk before their writer goes on. */
import { mkdirSync } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { FileRegisters } from '../../../src/store/files/file-registers';
import { removeStoreDirs, storeDir } from '../../support/store/store-dir';

afterAll(removeStoreDirs);

describe('registers as files', () => {
  let registers: FileRegisters;
  let flushes: jest.SpyInstance;
  beforeEach(async () => {
    const dir = storeDir();
    mkdirSync(join(dir, 'tmp'));
    registers = await FileRegisters.open(dir, join(dir, 'tmp'));
    const handle = await open(dir, 'r');
    flushes = jest.spyOn(Object.getPrototypeOf(handle) as FileHandle, 'sync');
    await handle.close();
  });
  afterEach(() => {
    flushes.mockRestore();
    registers.close();
  });
  const put = (name: string, value: number) => registers.update(name, () => ({ value, answer: value }));

  it.each(['kept/passkeys/of/x', 'sign-in/x', 'kept/asked/x', 'kept/settled/x', 'start/x', 'decided/x'])(
    'flush %s: the value, its name, and at first the name of the register',
    async (name) => {
      await put(name, 1);
      expect(flushes).toHaveBeenCalledTimes(3);
      await put(name, 2);
      expect(flushes).toHaveBeenCalledTimes(5);
      expect((await registers.read(name)).value).toBe(2);
    },
  );

  it('flush no limit of a tool, which changes with each call', async () => {
    await put('tool/quote', 1);
    await put('tool/quote', 2);
    expect(flushes).not.toHaveBeenCalled();
    expect((await registers.read('tool/quote')).value).toBe(2);
  });

  it('keep one value of several writers at once, and fail where the value cannot be flushed', async () => {
    const count = (value: unknown) => ({ value: Number(value ?? 0) + 1, answer: null });
    await Promise.all(Array.from({ length: 12 }, () => registers.update('sign-in/count', count)));
    expect((await registers.read('sign-in/count')).value).toBe(12);
    flushes.mockRejectedValueOnce(Object.assign(new Error('no space'), { code: 'ENOSPC' }));
    await expect(put('sign-in/count', 0)).rejects.toThrow('no space');
    expect((await registers.read('sign-in/count')).value).toBe(12);
  });
});
