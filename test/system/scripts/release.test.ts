/** `npm run release`, in a copy of the files that it changes. */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { ROOT } from '../../support/named-tests';

const FILES = [
  'scripts',
  'charts',
  'clients',
  'docker',
  'Dockerfile',
  'docker-compose.yml',
  'docs/deployment.md',
  'CHANGELOG.md',
];

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-release-'));
  const isPackage = (path: string) => !/node_modules|\/(?:src|dist|data|python|templates)(?:\/|$)/.test(path.slice(ROOT.length));
  for (const name of [...FILES, 'package.json', 'test/containers/compose.test.ts'])
    cpSync(join(ROOT, name), join(folder, name), { recursive: true });
  for (const name of ['packs', 'packages']) cpSync(join(ROOT, name), join(folder, name), { recursive: true, filter: isPackage });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const release = (version: string) =>
  spawnSync(process.execPath, [join(folder, 'scripts/release.mjs'), version], { encoding: 'utf8' });
const textOf = (path: string) => readFileSync(join(folder, path), 'utf8');

/** As a publisher writes it into each package; here the address is not known. */
const REPOSITORY = { type: 'git', url: 'git+https://github.com/example/holdfast.git' };
const withRepository = (path: string) =>
  writeFileSync(join(folder, path), JSON.stringify({ ...JSON.parse(textOf(path)), repository: REPOSITORY }));
const manifests = () =>
  [
    'package.json',
    ...['packs', 'packages'].flatMap((group) => readdirSync(join(folder, group)).map((name) => `${group}/${name}/package.json`)),
  ].filter((path) => existsSync(join(folder, path)));

it('gives every package the version, and every package that it needs; the chart, the image, and the changelog too', () => {
  const before = (JSON.parse(textOf('package.json')) as { version: string }).version;
  manifests().forEach(withRepository);
  expect(release('9.8.7')).toMatchObject({ status: 0, stderr: '', stdout: expect.stringContaining('git tag v9.8.7') });
  const packages = ['package.json', 'packs/showcase/package.json', 'packages/create-holdfast/package.json'];
  for (const path of packages) expect([path, JSON.parse(textOf(path))]).toMatchObject([path, { version: '9.8.7' }]);
  const { dependencies, peerDependencies } = JSON.parse(textOf('packs/showcase/package.json'));
  expect({ ...dependencies, ...peerDependencies }).toMatchObject({ '@holdfast/finance': '9.8.7', holdfast: '9.8.7' });
  expect(textOf('clients/python/pyproject.toml')).toMatch(/^version = "9\.8\.7"$/m);
  expect(textOf('charts/holdfast/Chart.yaml')).toMatch(/^version: 9\.8\.7\nappVersion: 9\.8\.7$/m);
  for (const path of ['Dockerfile', 'docker-compose.yml', 'docs/deployment.md']) {
    expect(textOf(path)).toContain('holdfast:9.8.7');
    expect(textOf(path)).not.toContain(`holdfast:${before}`);
  }
  expect(textOf('CHANGELOG.md')).toMatch(/^## Unreleased\n\n## 9\.8\.7 \(\d{4}-\d\d-\d\d\)\n\n### /m);
});

it('changes nothing for a version that is not later, and without anything to release', () => {
  const before = textOf('package.json');
  for (const version of ['0.0.1', 'next', ''])
    expect(release(version)).toMatchObject({ status: 2, stderr: expect.stringContaining('after') });
  writeFileSync(join(folder, 'CHANGELOG.md'), '# Changelog\n\n## Unreleased\n\n## 0.1.0 (2026-01-01)\n\n- Begins.\n');
  expect(release('9.8.7')).toMatchObject({ status: 2, stderr: expect.stringContaining('nothing under') });
  expect(textOf('package.json')).toBe(before);
});

it('names the packages that npm would refuse, because their provenance needs a repository', () => {
  manifests()
    .filter((path) => path !== 'packs/finance/package.json')
    .forEach(withRepository);
  const { status, stderr } = release('9.8.7');
  expect({ status, stderr }).toEqual({ status: 0, stderr: expect.stringMatching(/into packs\/finance\/package\.json before/) });
  expect(JSON.parse(textOf('packs/finance/package.json'))).toMatchObject({ version: '9.8.7' });
});

describe('the workflow', () => {
  interface Job {
    permissions?: Record<string, string>;
    environment?: string;
    steps?: { name?: string; uses?: string; run?: string }[];
  }
  const { permissions, jobs } = parse(readFileSync(join(ROOT, '.github/workflows/release.yml'), 'utf8')) as {
    permissions: Record<string, string>;
    jobs: Record<string, Job>;
  };

  it('gives the identity to one job, which runs no code of the repository', () => {
    expect(permissions).toEqual({ contents: 'read' });
    const may = Object.entries(jobs).filter(([, job]) => job.permissions !== undefined);
    expect(may.map(([name, job]) => [name, job.permissions, job.environment])).toEqual([
      ['publish', { 'id-token': 'write' }, 'release'],
    ]);
    const steps = jobs.publish!.steps!;
    expect(
      steps.filter(({ uses, run }) => /checkout/.test(uses ?? '') || /npm (?:ci|install|run|test)|npx/.test(run ?? '')),
    ).toEqual([]);
    const actions = Object.values(jobs).flatMap((job) => (job.steps ?? []).flatMap(({ uses }) => uses ?? []));
    expect(actions.filter((action) => !/^[\w-]+\/[\w-]+@[0-9a-f]{40}$/.test(action))).toEqual([]);
  });

  it('publishes what is packed and not published yet, without its scripts', () => {
    const packed = {
      'holdfast-1': 'holdfast',
      'holdfast-finance-1': '@holdfast/finance',
      'holdfast-page-1': '@holdfast/page',
      'create-holdfast-1': 'create-holdfast',
    };
    mkdirSync(join(folder, 'release/npm'), { recursive: true });
    mkdirSync(join(folder, 'package'));
    for (const [file, name] of Object.entries(packed)) {
      const manifest = { name, version: '1.0.0', private: name === '@holdfast/page' };
      writeFileSync(join(folder, 'package/package.json'), JSON.stringify(manifest));
      spawnSync('tar', ['-czf', `release/npm/${file}.tgz`, 'package/package.json'], { cwd: folder });
    }
    // An npm that knows one of the packages, and writes down what it is to publish.
    const npm =
      '#!/bin/sh\nif [ "$1" = view ]; then [ "$2" = @holdfast/finance@1.0.0 ] && echo 1.0.0; exit; fi\necho "$@" >>published\n';
    mkdirSync(join(folder, 'bin'));
    writeFileSync(join(folder, 'bin/npm'), npm);
    chmodSync(join(folder, 'bin/npm'), 0o755);
    const { run } = jobs.publish!.steps!.find(({ name }) => name === 'npm')!;
    const env = { ...process.env, PATH: `${join(folder, 'bin')}:${process.env.PATH}` };
    const { status, stdout } = spawnSync('bash', ['-e', '-o', 'pipefail', '-c', run!], { cwd: folder, env, encoding: 'utf8' });
    expect({ status, stdout }).toEqual({ status: 0, stdout: '@holdfast/finance@1.0.0 is published already\n' });
    const how = '--ignore-scripts --access public --provenance';
    expect(textOf('published')).toBe(
      `publish ./release/npm/holdfast-1.tgz ${how}\npublish ./release/npm/create-holdfast-1.tgz ${how}\n`,
    );
  });
});
