/** `npm run release`, in a copy of the files that it changes. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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

it('gives every package the version, and every package that it needs; the chart, the image, and the changelog too', () => {
  const before = (JSON.parse(textOf('package.json')) as { version: string }).version;
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
