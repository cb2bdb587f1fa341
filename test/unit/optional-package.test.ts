/** Packages of single features: if one is missing, the error names it and the command that installs it. */
import { mkdtempSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkPackage, findPackage, installCommand, optionalPackage, PackageMissing } from '../../src/optional-package';

const manifest = JSON.parse(readFileSync(join(__dirname, '../../package.json'), 'utf8')) as Record<
  string,
  Record<string, unknown>
>;

describe('an optional package', () => {
  it('is loaded if it is installed', () => {
    expect(optionalPackage<typeof import('pg')>('pg', 'PostgreSQL').Pool).toBeInstanceOf(Function);
    expect(findPackage('pg')).not.toBeNull();
    expect(() => checkPackage('@modelcontextprotocol/sdk', 'MCP', 'client/index.js')).not.toThrow();
  });

  it.each([
    () => optionalPackage('holdfast-no-such-package', 'Mail'),
    () => checkPackage('holdfast-no-such-package', 'Mail'),
    () => optionalPackage('holdfast-no-such-package', 'Mail', 'client/index.js'),
  ])('that is missing is named, with the command', (load) => {
    const expected =
      'Mail needs the package holdfast-no-such-package, which is not installed: npm install holdfast-no-such-package';
    expect(load).toThrow(new PackageMissing('holdfast-no-such-package', 'Mail'));
    expect(load).toThrow(expected);
    expect(findPackage('holdfast-no-such-package')).toBeNull();
  });

  it('that is installed but lacks one of its own packages does not count as missing, even if that package’s name begins with its name', () => {
    const folder = mkdtempSync(join(tmpdir(), 'holdfast-optional-'));
    const name = join(folder, 'driver');
    mkdirSync(name);
    writeFileSync(join(name, 'index.js'), `require(${JSON.stringify(`${name}-types`)})`);
    const expected = expect.objectContaining({ message: expect.stringContaining(`'${name}-types'`) });
    try {
      expect(() => optionalPackage(name, 'A driver')).toThrow(expected);
      expect(() => findPackage(name)).toThrow(expected);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('is installed in the version that the tests ran with', () => {
    const { peerDependencies, peerDependenciesMeta, devDependencies } = manifest;
    for (const [name, range] of Object.entries(peerDependencies!)) {
      expect([name, range, peerDependenciesMeta![name]]).toEqual([
        name,
        `^${String(devDependencies![name])}`,
        { optional: true },
      ]);
      expect(installCommand(name)).toBe(`npm install ${name}@${String(range)}`);
    }
  });

  it('has the same version in the container image', () => {
    const image = JSON.parse(readFileSync(join(__dirname, '../../docker/package.json'), 'utf8')) as typeof manifest;
    for (const [name, version] of Object.entries(image.dependencies!))
      expect([name, version]).toEqual([name, manifest.devDependencies![name]]);
  });
});
