/** docker/make-secrets.sh, run on a copy: nobody's secrets are touched. */
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KeyRing } from '../../../src/encryption/key-ring';
import { readCompose, ROOT } from '../support/compose-file';

describe('docker/make-secrets.sh', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'holdfast-secrets-'));
    mkdirSync(join(folder, 'secrets'));
    copyFileSync(join(ROOT, 'docker/make-secrets.sh'), join(folder, 'make-secrets.sh'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const GIVEN = { ANTHROPIC_API_KEY: 'key $HOME \'"\\n %s', HOLDFAST_SMTP_PASS: 'hunter2' };
  const make = (env: NodeJS.ProcessEnv) =>
    spawnSync('sh', [join(folder, 'make-secrets.sh')], {
      env: { PATH: process.env.PATH, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      encoding: 'utf8',
    });
  const read = (name: string) => readFileSync(join(folder, 'secrets', name), 'utf8').trim();
  const mode = (name: string) => (statSync(join(folder, 'secrets', name)).mode & 0o777).toString(8);

  it('makes every secret that docker-compose.yml names, in a folder that only its owner enters, and shows none', () => {
    const { status, stdout, stderr } = make(GIVEN);
    expect(status).toBe(0);
    const names = Object.values(readCompose().secrets).map(({ file }) => file.replace('./docker/secrets/', ''));
    expect(readdirSync(join(folder, 'secrets')).sort()).toEqual(names.sort());
    expect(read('anthropic_api_key')).toBe(GIVEN.ANTHROPIC_API_KEY);
    expect(read('postgres_password')).toMatch(/^[0-9a-f]{48}$/);
    expect(read('store_url')).toMatch(/^postgres:\/\/holdfast:[0-9a-f]{48}@postgresql:5432\/holdfast$/);
    expect(read('operators')).toMatch(/^userlist operators\n {2}user admin insecure-password [0-9a-f]{48}$/);
    const ring = KeyRing.parse(read('codec_keys'), 'codec_keys');
    expect(ring.ids).toEqual([ring.current]);
    expect([mode('.'), ...names.map(mode)]).toEqual(['700', ...names.map(() => '644')]);
    expect(JSON.parse(read('gateway_tokens'))).toEqual([]);
    for (const name of names.filter((one) => one !== 'gateway_tokens')) expect(stdout + stderr).not.toContain(read(name));
  });

  it('leaves what is there as it is', () => {
    make(GIVEN);
    const before = read('postgres_password');
    expect(make({}).status).toBe(0);
    expect(read('postgres_password')).toBe(before);
    expect(read('smtp_password')).toBe('hunter2');
  });

  it('writes no empty secret where nobody can be asked, and says which one is missing', () => {
    const { status, stderr } = make({ HOLDFAST_SMTP_PASS: 'hunter2' });
    expect(status).toBe(1);
    expect(stderr).toMatch(/^docker\/secrets\/anthropic_api_key cannot be empty \(Anthropic API key\)/);
    expect(readdirSync(join(folder, 'secrets')).sort()).toEqual(['codec_keys', 'operators', 'postgres_password', 'store_url']);
  });
});
