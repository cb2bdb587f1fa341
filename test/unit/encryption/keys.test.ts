import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openKeys } from '../../../src/encryption';
import { KeyRing, rotate, type KeyRingJson } from '../../../src/encryption/key-ring';
import { Keys } from '../../../src/encryption/key-source';
import { loadConfig } from '../../../src/config';
import { gatewayParts } from '../../../src/gateway/serve';
import { environment, run } from '../../support/command-line';
import { ringOf } from '../../support/encryption/ring';
import { silent } from '../../support/silent';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-keys-'));
  file = join(folder, 'ring.json');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function sameTwice(): KeyRingJson {
  const ring = ringOf('a');
  return { ...ring, keys: { a: ring.ring } };
}

const write = (value: unknown, mode = 0o600) => {
  writeFileSync(file, typeof value === 'string' ? value : JSON.stringify(value));
  chmodSync(file, mode);
};

it.each([
  ['it is not JSON', 'secret-4711'],
  ['it is not a JSON object', []],
  ['"v" is not "holdfast.keys/1"', { ...ringOf('a'), v: 'x' }],
  ['it has a field "extra"', { ...ringOf('a'), extra: 1 }],
  ['"keys" is not an object', { ...ringOf('a'), keys: null }],
  ['the id "a b" is not', { ...ringOf('a'), keys: { 'a b': ringOf('a').ring } }],
  ['the key a is not 32 bytes in base64', { ...ringOf('a'), keys: { a: 'c2VjcmV0LTQ3MTE=' } }],
  ['"current" is neither null nor the id of one of its keys (a)', { ...ringOf('a'), current: 'b' }],
  ['"ring" is not 32 bytes', { ...ringOf('a'), ring: '' }],
  ['two of its keys are the same', sameTwice()],
])('a ring is refused: %s', (why, ring) => {
  const text = typeof ring === 'string' ? ring : JSON.stringify(ring);
  expect(() => KeyRing.parse(text, 'ring.json')).toThrow(`The key ring ring.json cannot be used: ${why}`);
  expect(() => KeyRing.parse(text, 'ring.json')).not.toThrow('4711');
});

it('a file must be its owner’s alone, and exist', async () => {
  await expect(Keys.open(file)).rejects.toThrow('there is no such file; `holdfast keys rotate` makes one');
  write(ringOf('a'), 0o640);
  await expect(Keys.open(file)).rejects.toThrow(`others may read it; run chmod 600 ${file}`);
  write(ringOf('a'));
  expect((await Keys.open(file)).ring().current).toBe('a');
});

it('a rotated file is read again, and a missing key at once; a file that is broken meanwhile changes nothing', async () => {
  const first = ringOf('a');
  write(first);
  const keys = await Keys.open(file, { freshMs: 60_000, patienceMs: 0 });
  const { ring } = rotate(first, { id: 'b', writes: true, now: new Date() });
  write(ring);
  expect(keys.ring().current).toBe('a');
  expect((await keys.key('b')).length).toBe(32);
  expect(keys.ring().current).toBe('b');
  write('{');
  await expect(keys.key('c')).rejects.toThrow('the key c');
  expect(keys.ring().ids).toEqual(['a', 'b']);
});

it('a ring that cannot be read again is reported once for each reason, and goes on', async () => {
  write(ringOf('a'));
  const faults: string[] = [];
  const keys = await Keys.open(file, { freshMs: 0, patienceMs: 0, onFault: (reason) => void faults.push(reason) });
  const again = () => keys.key('unknown').catch(() => undefined);
  write('{');
  await again();
  await again();
  expect([faults, keys.fault]).toEqual([[`The key ring ${file} cannot be used: it is not JSON.`], faults[0]]);
  expect(keys.ring().current).toBe('a');
  write(ringOf('a'));
  await again();
  expect(keys.fault).toBeNull();
  chmodSync(file, 0o644);
  await again();
  expect(faults[1]).toContain('others may read it');
});

it('a process that is idle reads its ring again too, until it ends', async () => {
  jest.useFakeTimers();
  try {
    let present: unknown = ringOf('a');
    const faults: object[] = [];
    const keys = await openKeys({ ring: () => present }, { error: (facts) => void faults.push(facts) });
    const end = keys.readOnTime();
    present = ringOf('b');
    await jest.advanceTimersByTimeAsync(30_000);
    expect(keys.ring().current).toBe('b');
    present = 'broken';
    await jest.advanceTimersByTimeAsync(30_000);
    expect(keys.fault).toContain('The key ring of the key service cannot be used');
    expect(faults).toHaveLength(1);
    present = ringOf('c');
    await jest.advanceTimersByTimeAsync(30_000);
    expect([keys.ring().current, keys.fault]).toEqual(['c', null]);
    end();
    expect(jest.getTimerCount()).toBe(0);
  } finally {
    jest.useRealTimers();
  }
});

it('a gateway, which has the keys of the codec server too, reads its ring so until it is closed', async () => {
  write(ringOf('a'));
  const end = jest.fn();
  const read = jest.spyOn(Keys.prototype, 'readOnTime').mockReturnValue(end);
  const config = loadConfig({ HOLDFAST_HOME: folder, HOLDFAST_STORE: `file:${folder}/store`, HOLDFAST_CODEC_KEYS: file });
  const parts = await gatewayParts(config, { log: silent, app: () => Promise.reject(new Error('no app')) });
  expect([read.mock.contexts, end.mock.calls.length]).toEqual([[parts.codec!.codecKeys], 0]);
  await parts.close();
  expect([read.mock.calls.length, end.mock.calls.length]).toEqual([1, 1]);
  read.mockRestore();
});

it('a ring comes from a command or a key service too, and errors show no key', async () => {
  const ring = ringOf('a');
  write(ring);
  expect((await Keys.open({ command: `cat ${file}` })).ring().current).toBe('a');
  await expect(Keys.open({ command: `cat ${file}; exit 3` })).rejects.toThrow(
    'The key ring of the command HOLDFAST_CODEC_KEYS_COMMAND cannot be used: it ended with code 3.',
  );
  expect((await Keys.open({ ring: async () => ring })).ring().current).toBe('a');
  await expect(Keys.open({ ring: () => Promise.reject(new Error('no access')) })).rejects.toThrow(
    'of the key service cannot be used: no access',
  );
});

it('a rotation adds keys; with an id of the ring it changes the one that writes', () => {
  const now = new Date('2026-11-28T12:00:00Z');
  const one = rotate(null, { writes: true, now });
  expect(one).toMatchObject({ id: '2026-11-28', isNew: true, ring: { current: '2026-11-28' } });
  const two = rotate(one.ring, { writes: false, now });
  expect(two).toMatchObject({ id: '2026-11-28.2', isNew: true, ring: { current: '2026-11-28', ring: one.ring.ring } });
  const three = rotate(two.ring, { id: '2026-11-28.2', writes: true, now });
  expect(three).toMatchObject({ isNew: false, ring: { current: '2026-11-28.2', keys: two.ring.keys } });
});

it('the settings name one ring', () => {
  expect(loadConfig({ HOLDFAST_CODEC_KEYS: 'k.json' }).codecKeys).toBe('k.json');
  expect(loadConfig({ HOLDFAST_CODEC_KEYS_COMMAND: 'cat k' }).codecKeys).toEqual({ command: 'cat k' });
  expect(loadConfig({}).codecKeys).toBeNull();
  expect(() => loadConfig({ HOLDFAST_CODEC_KEYS: 'k', HOLDFAST_CODEC_KEYS_COMMAND: 'c' })).toThrow('one key ring encrypts');
});

it('holdfast keys rotate makes the ring, adds keys to it, and never prints one', async () => {
  const rotated = async (...more: string[]) => {
    const { code, stdout, stderr } = await run(['keys', 'rotate', '--json', ...more], environment({ HOLDFAST_CODEC_KEYS: file }));
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    return JSON.parse(stdout);
  };
  expect(await rotated('--id', 'one')).toEqual({ ring: file, id: 'one', new: true, current: 'one', keys: ['one'] });
  expect(await rotated('--id', 'two', '--add')).toMatchObject({ new: true, current: 'one', keys: ['one', 'two'] });
  expect(await rotated('--id', 'two')).toMatchObject({ new: false, current: 'two' });
  expect((await Keys.open(file)).ring().ids).toEqual(['one', 'two']);

  const other = jest.spyOn(process, 'getuid').mockReturnValue(54_321);
  const refused = await run(['keys', 'rotate', '--ring', file], environment());
  other.mockRestore();
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('must stay so: run this as that user') });
  expect((await Keys.open(file)).ring().ids).toEqual(['one', 'two']);
});
