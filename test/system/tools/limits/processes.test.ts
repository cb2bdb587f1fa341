/** Limits that several processes at one store keep. The tests check counts and the store's own times. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { FileRegisters } from '../../../../src/store/files/file-registers';
import { FileStore } from '../../../../src/store/files/file-store';
import { ToolGate } from '../../../../src/tools/limits/gate';
import { LEASE_MS } from '../../../../src/tools/limits/ledger';
import { silent } from '../../../support/silent';
import { CONCURRENT, RATED } from '../../../support/tools/limits/support';

jest.setTimeout(180_000);

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'holdfast-limits-'));
  await mkdir(join(dir, 'inside'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

async function startChild(mode: string, count = 0) {
  const typescript = join(__dirname, '../../support/typescript.cjs');
  const args = ['--require', typescript, join(__dirname, 'limit-child.ts'), mode, dir, String(count)];
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const line = async () => String((await lines.next()).value);
  expect(await line()).toBe('ready');
  return { child, line, go: () => child.stdin.write('go\n') };
}

/** Lets children go at once. @returns what each of them printed, parsed */
async function race<T>(processes: number, mode: string, count: number): Promise<T[]> {
  const children = await Promise.all(Array.from({ length: processes }, () => startChild(mode, count)));
  for (const { go } of children) go();
  return Promise.all(children.map(async ({ line }) => JSON.parse(await line()) as T));
}

test('a register loses no update of any process, and keeps few files', async () => {
  await race(4, 'add', 60);
  const { registers } = await FileStore.open(dir);
  const { value } = await registers.read('set');
  const names = new Set(value as string[]);
  expect(names.size).toBe(240);
  const [folder] = await readdir(join(dir, 'registers'));
  expect((await readdir(join(dir, 'registers', folder!))).length).toBeLessThan(60);
});

/** A register whose value, 1, is damaged. */
async function withDamaged(name: string) {
  const { registers } = await FileStore.open(dir);
  await registers.update(name, () => ({ value: 1, answer: null }));
  const [folder] = await readdir(join(dir, 'registers'));
  await writeFile(join(dir, 'registers', folder!, '1'), '{"half');
  const change = () => registers.update(name, (value) => ({ value: 2, answer: value }));
  return { change, read: async () => (await registers.read(name)).value };
}

test('a value of a limit that cannot be read counts as absent, and the next write replaces it', async () => {
  const { change, read } = await withDamaged('tool/r');
  expect(await change()).toBeNull();
  expect(await read()).toBe(2);
});

test('a value of another register that cannot be read is an error, and nothing replaces it', async () => {
  const { change, read } = await withDamaged('r');
  await expect(change()).rejects.toMatchObject({ code: 'damaged' });
  await expect(read()).rejects.toMatchObject({ code: 'damaged' });
});

test('four processes never run more calls at once than the tool allows', async () => {
  const seen = await race<number>(4, 'concurrent', 12);
  expect(Math.max(...seen)).toBeLessThanOrEqual(CONCURRENT.limits!.concurrency!);
  expect(Math.max(...seen)).toBeGreaterThan(0);
});

test('three processes never begin more calls in a window than the tool allows', async () => {
  const { calls, perMs } = RATED.limits!.rate!;
  const starts = (await race<number[]>(3, 'rated', 9)).flat().sort((a, b) => a - b);
  expect(starts).toHaveLength(27);
  for (const [i, start] of starts.entries()) {
    const later = starts[i + calls];
    expect(later === undefined || later - start >= perMs).toBe(true);
  }
});

test('the place of a killed process becomes free when its lease ends, not before', async () => {
  const { child, line, go } = await startChild('stay');
  go();
  expect(await line()).toBe('inside');
  child.kill('SIGKILL');
  await once(child, 'close');
  const one = { ...CONCURRENT, limits: { concurrency: 1 } };
  const at = async (ms: number) =>
    new ToolGate(await FileRegisters.open(dir, join(dir, 'tmp'), () => Date.now() + ms), silent, 0).enter(one);
  expect(await at(0)).toMatchObject({ ok: false, why: 'concurrency' });
  expect((await at(LEASE_MS)).ok).toBe(true);
});
