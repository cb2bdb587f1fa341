/** docker/rotate-keys.sh, run on a copy; a program in the place of `docker` adds the key. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../support/compose-file';

describe('docker/rotate-keys.sh', () => {
  let folder: string;
  let env: NodeJS.ProcessEnv;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'holdfast-rotate-'));
    for (const name of ['bin', 'docker/secrets']) mkdirSync(join(folder, name), { recursive: true });
    copyFileSync(join(ROOT, 'docker/rotate-keys.sh'), join(folder, 'docker/rotate-keys.sh'));
    writeFileSync(join(folder, 'docker/secrets/codec_keys'), 'first\n');
    chmodSync(join(folder, 'docker/secrets/codec_keys'), 0o444);
    const program = (name: string, text: string) =>
      writeFileSync(join(folder, 'bin', name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
    program('docker', '/bin/cat docker/secrets/codec_keys; sleep "${SLOW:-0}"; echo "key $KEY"; exit "${EXIT:-0}"');
    program('cat', '[ -z "${FULL:-}" ] || { printf fir; exit 1; }\nexec /bin/cat "$@"');
    env = { PATH: `${join(folder, 'bin')}:${process.env.PATH}` };
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const script = () => join(folder, 'docker/rotate-keys.sh');
  const rotate = (more: NodeJS.ProcessEnv) => spawnSync('sh', [script()], { env: { ...env, ...more }, encoding: 'utf8' });
  const secrets = () => readdirSync(join(folder, 'docker/secrets')).sort();
  const read = (name: string) => readFileSync(join(folder, 'docker/secrets', name), 'utf8');

  it('changes the file in place, keeps the ring before beside it, and leaves nothing else', () => {
    const { ino } = statSync(join(folder, 'docker/secrets/codec_keys'));
    expect(rotate({ KEY: 'a' })).toMatchObject({ status: 0, stderr: '' });
    expect(rotate({ KEY: 'b' })).toMatchObject({ status: 0, stderr: '' });
    expect([read('codec_keys'), read('codec_keys.previous')]).toEqual(['first\nkey a\nkey b\n', 'first\nkey a\n']);
    const { ino: now, mode } = statSync(join(folder, 'docker/secrets/codec_keys'));
    expect([now, mode & 0o444]).toEqual([ino, 0o444]);
    expect(secrets()).toEqual(['codec_keys', 'codec_keys.previous']);
  });

  it('changes nothing while another rotation runs: no key is lost', async () => {
    const first = spawn('sh', [script()], { env: { ...env, KEY: 'a', SLOW: '2' }, stdio: 'ignore' });
    const ended = once(first, 'close');
    while (!secrets().includes('.rotation')) await new Promise((resolve) => setTimeout(resolve, 10));
    expect(rotate({ KEY: 'b' })).toMatchObject({ status: 1, stderr: expect.stringContaining('Another rotation runs') });
    expect(await ended).toEqual([0, null]);
    expect(read('codec_keys')).toBe('first\nkey a\n');
    expect(rotate({ KEY: 'b' }).status).toBe(0);
    expect(read('codec_keys')).toBe('first\nkey a\nkey b\n');
  });

  it('changes nothing, and lets go of the lock, if the key cannot be made', () => {
    expect(rotate({ EXIT: '1' }).status).toBe(1);
    expect([secrets(), read('codec_keys')]).toEqual([['codec_keys'], 'first\n']);
  });

  it('keeps the new ring and the one before if the disk is full, and says where they are', () => {
    const { status, stderr } = rotate({ KEY: 'a', FULL: '1' });
    const [, name] = /cat docker\/secrets\/(\S+) >docker\/secrets\/codec_keys && rm/.exec(stderr)!;
    expect([status, read(name!), read('codec_keys.previous')]).toEqual([1, 'first\nkey a\n', 'first\n']);
    expect(secrets()).toEqual([name, 'codec_keys', 'codec_keys.previous']);
  });
});
