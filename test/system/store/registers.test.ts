import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FileRegisters } from '../../../src/store/files/file-registers';
import { race } from './support/children';
import { overEachKind } from './support/kinds';

jest.setTimeout(180_000);

overEachKind((fresh) => {
  test('a register that nobody has written is null; a change is seen by everyone', async () => {
    const place = await fresh();
    const [one, two] = [await place.open(), await place.open()];
    expect((await one.registers.read('limit')).value).toBeNull();
    expect(await one.registers.update('limit', (value) => ({ value: { was: value }, answer: 'mine' }))).toBe('mine');
    expect((await two.registers.read('limit')).value).toEqual({ was: null });
    await two.registers.update('limit', () => ({ answer: null }));
    expect((await one.registers.read('limit')).value).toEqual({ was: null });
    expect((await one.registers.read('other')).value).toBeNull();
  });

  test('a change that throws changes nothing, and blocks no later change', async () => {
    const { registers } = await (await fresh()).open();
    const broken = registers.update('limit', () => {
      throw new Error('broken');
    });
    await expect(broken).rejects.toThrow('broken');
    expect(await registers.update('limit', (value) => ({ value: 1, answer: value }))).toBeNull();
  });

  test('its clock goes forward, in milliseconds', async () => {
    const { registers } = await (await fresh()).open();
    const before = await registers.read('limit');
    const after = await registers.update('limit', (_, now) => ({ answer: now }));
    expect(after).toBeGreaterThanOrEqual(before.now);
    expect(Number.isInteger(after)).toBe(true);
    expect(Math.abs(Date.now() - after)).toBeLessThan(3_600_000);
  });

  test('no count of several processes at once is lost', async () => {
    const place = await fresh();
    await race<number>(Array.from({ length: 4 }, () => ['count', place.url, '25']));
    expect((await (await place.open()).registers.read('count')).value).toBe(100);
  });
});

describe('registers in files', () => {
  const dir = mkdtempSync(join(tmpdir(), 'holdfast-registers-'));
  const folders = () => readdirSync(join(dir, 'registers'));
  const days = (count: number) => (Date.now() - count * 86_400_000) / 1000;
  const age = (count: number) => {
    for (const folder of folders()) utimesSync(join(dir, 'registers', folder), days(count), days(count));
  };
  let registers: FileRegisters;
  const put = (name: string, value: number) => registers.update(name, () => ({ value, answer: null }));

  beforeAll(async () => {
    mkdirSync(join(dir, 'tmp'));
    registers = await FileRegisters.open(dir, join(dir, 'tmp'));
  });
  afterEach(() => {
    for (const folder of folders()) rmSync(join(dir, 'registers', folder), { recursive: true });
  });
  afterAll(() => {
    registers.close();
    rmSync(dir, { recursive: true });
  });

  test('go when nobody has changed them for thirty days', async () => {
    await put('old', 1);
    await put('old', 2);
    age(31);
    await put('younger', 3);
    await registers.sweep();
    expect((await registers.read('old')).value).toBeNull();
    expect((await registers.read('younger')).value).toBe(3);
    expect(folders()).toHaveLength(1);
    age(29);
    await registers.sweep();
    expect((await registers.read('younger')).value).toBe(3);
    expect(await registers.update('old', (value) => ({ value: 4, answer: value }))).toBeNull();
  });

  test('stay for any time if their names say so', async () => {
    await put('kept/last', 1);
    age(400);
    await registers.sweep();
    expect((await registers.read('kept/last')).value).toBe(1);
  });

  test('that are changed while they are deleted are changed from null', async () => {
    await put('count', 5);
    const [folder] = folders();
    const seen: unknown[] = [];
    await registers.update('count', (value) => {
      seen.push(value);
      if (seen.length === 1) rmSync(join(dir, 'registers', folder!), { recursive: true });
      return { value: 6, answer: null };
    });
    expect(seen).toEqual([5, null]);
    expect((await registers.read('count')).value).toBe(6);
  });

  test('that somebody has made again since keep his value', async () => {
    for (const value of [1, 2, 3]) await put('count', value);
    const [folder] = folders();
    const seen: unknown[] = [];
    await registers.update('count', (value) => {
      seen.push(value);
      if (seen.length === 1) {
        rmSync(join(dir, 'registers', folder!), { recursive: true });
        mkdirSync(join(dir, 'registers', folder!));
        writeFileSync(join(dir, 'registers', folder!, '1'), '70');
      }
      return { value: Number(value) + 1, answer: null };
    });
    expect(seen).toEqual([3, 70]);
    expect((await registers.read('count')).value).toBe(71);
  });
});
