/** The packages that `npm install holdfast` installs: their licences, and which of them run a program during installation. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(__dirname, '../../..');

interface Locked {
  dev?: boolean;
  optional?: boolean;
  os?: string[];
  license?: string;
  hasInstallScript?: boolean;
  /** To a workspace, which has an entry of its own. */
  link?: boolean;
}

const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as { packages: Record<string, Locked> };
const all = Object.entries(lock.packages).filter(([path, { link }]) => path !== '' && link !== true);
const shipped = all.filter(([, { dev }]) => dev !== true);

/** Permissive, each of them; of `A OR B` one is enough, of `A AND B` all are needed. */
const ALLOWED = new Set(
  'MIT MIT-0 ISC Apache-2.0 BSD-2-Clause BSD-3-Clause 0BSD BlueOak-1.0.0 Unlicense CC0-1.0 CC-BY-4.0 PSF-2.0 Python-2.0 Zlib'.split(
    ' ',
  ),
);

function isAllowed(licence: string): boolean {
  const text = licence.replace(/[()]/g, '');
  return text.split(' OR ').some((choice) => choice.split(' AND ').every((one) => ALLOWED.has(one.trim())));
}

/** Packages whose package.json has no licence, and the beginning of their own LICENSE file. */
const IN_A_FILE: Record<string, { begins: string; is: string }> = {
  'node_modules/png-js': { begins: 'MIT License', is: 'MIT' },
  'node_modules/unionfs': { begins: 'This is free and unencumbered software released into the public domain.', is: 'Unlicense' },
  'node_modules/memorystream': { begins: 'Copyright (C) 2011 Dmitry Nizovtsev', is: 'MIT' },
};

/** Binaries for other systems; the lock file has only their names. This is the licence of their family. */
const FAMILIES = ['@foundry-rs/anvil', '@swc/core', '@unrs/resolver-binding'];
const familyOf = (path: string) => FAMILIES.find((family) => path.startsWith(`node_modules/${family}-`));

function licenceOf([path, { license }]: [string, Locked]): string {
  if (license !== undefined) return license;
  if (familyOf(path) !== undefined) return siblingOf(path);
  const file = join(ROOT, path, 'LICENSE');
  const known = IN_A_FILE[path];
  return known && existsSync(file) && readFileSync(file, 'utf8').trim().startsWith(known.begins) ? known.is : 'unknown';
}

/** Of the same family, the one for another system that does say it. */
function siblingOf(path: string): string {
  const said = all
    .filter(([other, { license }]) => license && familyOf(other) === familyOf(path))
    .map(([, { license }]) => license);
  return new Set(said).size === 1 ? said[0]! : 'unknown';
}

describe('the packages that holdfast brings along', () => {
  it('have a known, permissive licence', () => {
    const others = shipped.map((one) => [one[0], licenceOf(one)] as const).filter(([, licence]) => !isAllowed(licence));
    expect(others).toEqual([]);
  });

  it('have a known licence also if they are only for development', () => {
    expect(all.filter((one) => licenceOf(one) === 'unknown').map(([path]) => path)).toEqual([]);
  });

  it('are refused if their licence is not on the list, or missing', () => {
    for (const licence of ['GPL-3.0-only', 'unknown', 'SEE LICENSE IN EULA', 'MIT AND AGPL-3.0-only'])
      expect(isAllowed(licence)).toBe(false);
    expect(isAllowed('(MIT OR GPL-3.0-or-later)')).toBe(true);
    expect(licenceOf(['node_modules/nobody-knows', {}])).toBe('unknown');
  });

  it('run no program during installation, except these, without which holdfast runs too (docs/deployment.md)', () => {
    const scripts = shipped.filter(([, { hasInstallScript }]) => hasInstallScript).map(([path]) => path);
    expect(scripts.sort()).toEqual([
      'node_modules/@foundry-rs/anvil',
      'node_modules/@grpc/proto-loader/node_modules/protobufjs',
      'node_modules/@swc/core',
      'node_modules/esbuild',
    ]);
    const own = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: Record<string, string> };
    // `prepare` runs in a checkout, and for an installation from git, not from a registry or a tarball.
    expect(Object.keys(own.scripts).filter((name) => /^(pre|post)?install$/.test(name))).toEqual([]);
  });
});
