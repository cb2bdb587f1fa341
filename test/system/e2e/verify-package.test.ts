/** An auditor who has `@holdfast/verify` alone: packed, and installed into an empty folder without a network. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withoutNetwork } from '../../../src/audit/replay/isolation';
import { sample, SAMPLES, TRUST_FILE } from '../../support/bundle-keys';
import { environment } from '../cli/support/cli';
import { pythonVerifier } from '../support/python-verifier';
import { npm, pack, type Packed } from './pack-project';

const ROOT = join(__dirname, '../../..');
const TYPED = `
import { createReadStream } from 'node:fs';
import { chainFaults, describeVerification, readTrustedKeys, verifyBundle, type Verification } from '@holdfast/verify';
async function main(): Promise<void> {
  const found: Verification = await verifyBundle(createReadStream('plain.jsonl'), await readTrustedKeys('trust.json'));
  const faults: string[] = chainFaults([{ ...found, name: 'plain.jsonl' }], null);
  console.log(found.verdict, faults.length, describeVerification(found)[0]);
}
void main();
`;

describe('the packed verifier, in an empty folder', () => {
  let folder: string;
  let installed: string;
  beforeAll(async () => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-auditor-')));
    const [{ tarball }] = pack(join(folder, 'packed'), 'packages/verify') as [Packed];
    npm(['init', '-y'], folder);
    npm(['install', '--offline', '--no-audit', '--no-fund', tarball], folder);
    installed = join(folder, 'node_modules', '@holdfast', 'verify');
    cpSync(join(SAMPLES, 'plain.jsonl'), join(folder, 'plain.jsonl'));
    cpSync(TRUST_FILE, join(folder, 'trust.json'));
    writeFileSync(join(folder, 'forged.jsonl'), (await sample('plain')).replace('"kind":"run"', '"kind":"ran"'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const run = (command: string, ...args: string[]) => {
    const { status, stdout, stderr } = spawnSync(command, args, { cwd: folder, env: environment(), encoding: 'utf8' });
    return { status, stdout, stderr };
  };
  const verify = (...args: string[]) => run('node_modules/.bin/holdfast-verify', ...args);

  it('is one package, of these files', () => {
    const lock = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8')) as { packages: Record<string, unknown> };
    expect(Object.keys(lock.packages)).toEqual(['', 'node_modules/@holdfast/verify']);
    const names = readdirSync(installed, { recursive: true, encoding: 'utf8' }).filter((name) => /\.[a-z]+$|LICENSE/.test(name));
    expect(names.filter((name) => !/^dist\/types\/|^python\/verify_[a-z_]+\.py$/.test(name)).sort()).toEqual([
      'LICENSE',
      'README.md',
      'bin/holdfast-verify.cjs',
      'dist/THIRD-PARTY-LICENSES.txt',
      'dist/bundle-format.md',
      'dist/index.js',
      'package.json',
    ]);
  });

  it('loads no package, and of Node nothing that can act: no network, no process', () => {
    const text = readFileSync(join(installed, 'dist/index.js'), 'utf8');
    const names = new Set([...text.matchAll(/\brequire\("([^"]+)"\)/g)].map(([, name]) => name!.replace(/^node:/, '')));
    expect([...names].filter((name) => !builtinModules.includes(name))).toEqual([]);
    // commander can start subcommands that are programs of their own; this program has none.
    expect([...names].sort()).toEqual(NODE_MODULES);
  });

  it('says in its exit code and its words what it has found', () => {
    expect(run('npx', '--no-install', '@holdfast/verify', 'plain.jsonl', '--trust', 'trust.json')).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('plain.jsonl: intact since signing by 33819de8bf087adc; completeness not proven beyond'),
    });
    expect(verify('plain.jsonl')).toMatchObject({ status: 1, stdout: expect.stringContaining('consistent, signer unknown') });
    const { status, stdout } = verify('forged.jsonl', '--trust', 'trust.json', '--json');
    expect({ status, ...JSON.parse(stdout) }).toMatchObject({ status: 1, verdict: 'broken', rule: 'S3' });
    expect(verify('none.jsonl')).toMatchObject({ status: 2, stderr: expect.stringContaining('cannot be read') });
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
    expect(verify('--version')).toMatchObject({ status: 0, stdout: `${version}\n` });
  });

  it('needs no network', () => {
    const program = [process.execPath, join(installed, 'bin/holdfast-verify.cjs'), 'plain.jsonl', '--trust', 'trust.json'];
    const [command, ...args] = [...withoutNetwork(), ...program];
    expect(run(command!, ...args)).toMatchObject({ status: 0, stderr: '' });
  });

  it.each([
    ['nodenext', ['check.mts', 'check.cts']],
    ['commonjs', ['check.ts']],
  ])('has types, for %s: %j', (module, names) => {
    for (const name of names) writeFileSync(join(folder, name), TYPED);
    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
    const strict = ['--strict', '--exactOptionalPropertyTypes', '--target', 'es2022', '--module', module];
    const types = ['--typeRoots', join(ROOT, 'node_modules/@types'), '--types', 'node'];
    expect(run(process.execPath, tsc, ...strict, ...types, ...names)).toMatchObject({ status: 0, stdout: '' });
    for (const name of names)
      expect(run(process.execPath, name.replace(/ts$/, 'js')).stdout).toMatch(/^intact 0 intact since signing by/);
  });

  const python = pythonVerifier();
  (python === null ? it.skip : it)('brings its twin in Python', () => {
    const twin = join(installed, 'python/verify_bundle.py');
    const judged = run(python!, '-B', twin, 'plain.jsonl', '--trust', 'trust.json');
    expect(JSON.parse(judged.stdout)).toMatchObject({ verdict: 'intact', signed_by: '33819de8bf087adc' });
    expect(run(python!, '-B', twin, 'forged.jsonl', '--trust', 'trust.json').status).toBe(1);
  });
});

const NODE_MODULES = ['buffer', 'child_process', 'crypto', 'events', 'fs', 'fs/promises', 'path', 'process'];
