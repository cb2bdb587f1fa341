import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newCheckout } from './support/new-checkout';
import { ROOT, withModule } from './support/run-module';

/** A checkout with two source files of its own, what bundles workflows, and the dependencies of this one. */
function checkout(): string {
  const names = ['scripts', 'package.json', 'package-lock.json', 'tsconfig.json'];
  const bundling = ['worker/workflow-bundle', 'shared/json/optional', 'shared/json/sha256', 'shared/text/utf8'];
  const root = newCheckout([...names, ...bundling.map((name) => `src/${name}.ts`)], (entry) => /^\.(holdfast|cache)/.test(entry));
  mkdirSync(join(root, 'src', 'workflows'), { recursive: true });
  writeFileSync(
    join(root, 'src', 'workflows', 'index.ts'),
    'export async function hello(): Promise<string> {\n  return "hello from the bundle";\n}\n',
  );
  writeFileSync(join(root, 'src', 'extra.ts'), 'export const extra = 1;\n');
  const { compilerOptions, ...rest } = JSON.parse(readFileSync(join(root, 'tsconfig.json'), 'utf8'));
  writeFileSync(
    join(root, 'tsconfig.json'),
    JSON.stringify({ ...rest, compilerOptions: { ...compilerOptions, skipLibCheck: true } }),
  );
  for (const [folder, name] of [
    ['workflows/sandbox', 'interceptors.ts'],
    ['audit/replay', 'recorder.ts'],
    ['workflows/sandbox', 'preload.ts'],
    ['workflows/sandbox', 'bundle-flags.ts'],
  ] as const) {
    mkdirSync(join(root, 'src', folder), { recursive: true });
    writeFileSync(
      join(root, 'src', folder, name),
      'export const interceptors = () => ({});\nexport const failureConverter = { errorToFailure: () => ({}), failureToError: () => new Error() };\n',
    );
  }
  const lock = readFileSync(join(root, 'package-lock.json'));
  writeFileSync(join(root, 'node_modules', '.holdfast-lock'), createHash('sha256').update(lock).digest('hex'));
  return root;
}

function build(root: string): Promise<{ code: number; said: string; ms: number }> {
  return run(join(root, 'scripts', 'build.mjs'));
}

function run(...command: string[]): Promise<{ code: number; said: string; ms: number }> {
  const started = Date.now();
  return new Promise((resolve) => {
    execFile(process.execPath, command, (error, stdout, stderr) => {
      resolve({ code: error ? Number(error.code) : 0, said: stdout + stderr, ms: Date.now() - started });
    });
  });
}

describe('set-up', () => {
  let root: string;
  beforeAll(() => (root = checkout()));
  afterAll(() => rmSync(root, { recursive: true, force: true }));
  const dist = (name: string) => join(root, 'dist', name);

  it('says what is missing with --check, and makes nothing', async () => {
    const { code, said } = await run(join(root, 'scripts', 'setup.mjs'), '--check');
    expect(code).toBe(1);
    expect(said).toMatch(
      /^✓ dependencies .*\n✓ HTTP types .*\n✗ dist\/ .*half a minute\n✗ Temporal CLI .*\nnpm run setup makes what is missing\.\n$/,
    );
    expect(existsSync(dist(''))).toBe(false);
  });

  it('recognizes an installation that npm ci made by hand, without a mark of its own', async () => {
    rmSync(join(root, 'node_modules', '.holdfast-lock'));
    const { said } = await run(join(root, 'scripts', 'setup.mjs'), '--check');
    expect(said).toMatch(/^✓ dependencies /);
  });

  it('says first what it will do, and about how long that takes; builds once, even when two start at the same time', async () => {
    const both = await Promise.all([build(root), build(root)]);
    expect(both.map(({ code }) => code)).toEqual([0, 0]);
    const said = both.map((one) => one.said).join('');
    expect(said).toMatch(/^setup: to do: dist\/ \(.*half a minute\)$/m);
    expect(said.match(/compiling/g)).toHaveLength(1);
    expect(said).toContain('waiting for another set-up');
    expect(readFileSync(dist('workflow-bundle.js'), 'utf8')).toContain('hello from the bundle');
  });

  it('puts no path of this machine into the workflow bundle, nor into its source map', () => {
    const bundle = readFileSync(dist('workflow-bundle.js'), 'utf8');
    expect(bundle.includes(root)).toBe(false);
    const map = Buffer.from(/sourceMappingURL=data:[^,]*;base64,(\S+)/.exec(bundle)![1]!, 'base64').toString('utf8');
    expect(JSON.parse(map)).toMatchObject({ version: 3, sources: expect.arrayContaining(['src/workflows/index.ts']) });
    expect(map.includes(root)).toBe(false);
  });

  it('does nothing, quickly and quietly, when nothing changed', async () => {
    const before = statSync(dist('workflow-bundle.js')).mtimeMs;
    const { code, said, ms } = await build(root);
    expect({ code, said }).toEqual({ code: 0, said: '' });
    expect(ms).toBeLessThan(15_000);
    expect(statSync(dist('workflow-bundle.js')).mtimeMs).toBe(before);
  });

  /** Wrong types are found by lint, not by the build. */
  it('keeps the last good build when a source file cannot be compiled, and says where', async () => {
    const broken = join(root, 'src', 'broken.ts');
    writeFileSync(broken, 'export const broken = ;\n');
    const { code, said } = await build(root);
    rmSync(broken);
    expect(code).toBe(1);
    expect(said).toContain('src/broken.ts(1,23)');
    expect(existsSync(dist('workflow-bundle.js'))).toBe(true);
  });

  it('leaves nothing of deleted source files behind, and takes over from a set-up that was killed', async () => {
    const made = ['workflow-bundle.js', 'replay-bundle.js', 'worker'];
    expect(made.filter((name) => !existsSync(dist(name)))).toEqual([]);
    for (const name of readdirSync(join(root, 'src')))
      if (name !== 'extra.ts') rmSync(join(root, 'src', name), { recursive: true });
    mkdirSync(join(root, '.holdfast'), { recursive: true });
    writeFileSync(join(root, '.holdfast', 'setup.lock'), String(2 ** 22 + 1));
    expect((await build(root)).code).toBe(0);
    expect(made.filter((name) => existsSync(dist(name)))).toEqual([]);
    expect(existsSync(dist('extra.js'))).toBe(true);
  });
});

describe('the installation', () => {
  it('runs npm ci only when the lock file changed', () => {
    const root = mkdtempSync(join(tmpdir(), 'holdfast-install-'));
    try {
      writeFileSync(join(root, 'package.json'), '{"name":"x","version":"1.0.0"}');
      const lock = { name: 'x', version: '1.0.0', lockfileVersion: 3, packages: { '': { name: 'x', version: '1.0.0' } } };
      const run = () =>
        withModule<string[]>(
          'install.mjs',
          'const said = []; await lib.install(input, (line) => said.push(line)); return said',
          root,
        );
      writeFileSync(join(root, 'package-lock.json'), JSON.stringify(lock));
      expect(run()).toEqual(['installing dependencies (npm ci) …']);
      expect(run()).toEqual([]);
      rmSync(join(root, 'node_modules', '.package-lock.json'), { force: true });
      writeFileSync(join(root, 'package-lock.json'), JSON.stringify(lock, null, 2));
      expect(run()).toEqual(['installing dependencies (npm ci) …']);
    } finally {
      rmSync(root, { recursive: true, force: true });
    }
  });
});

describe('the lock file of npm', () => {
  const text = readFileSync(join(ROOT, 'package-lock.json'), 'utf8');

  it('names no registry', () => {
    // A workspace is a link to its folder.
    const { packages } = JSON.parse(text) as { packages: Record<string, { resolved?: string; link?: boolean }> };
    const named = Object.entries(packages).filter(([, { resolved, link }]) => resolved !== undefined && !link);
    expect(named).toEqual([]);
    const places = [...text.matchAll(/"resolved": "([^"]*)"/g)].map(([, place]) => place!);
    expect(places.filter((place) => place !== '' && !/^(?:(?:packs|packages)\/[a-z-]+|docker)$/.test(place))).toEqual([]);
  });

  it('has the packages of every platform, so that npm ci accepts it everywhere', () => {
    const added = withModule('platform-packages.mjs', 'return lib.complete(input)', { packages: platformParts(text) });
    expect(added).toEqual([]);
  });

  it('reads a platform from a name', () => {
    const platform = (name: string) => withModule('platform-packages.mjs', 'return lib.platformOf(input)', name);
    expect(platform('@swc/core-linux-arm64-musl')).toEqual({ cpu: ['arm64'], os: ['linux'] });
    expect(platform('@foundry-rs/anvil-win32-amd64')).toEqual({ cpu: ['x64'], os: ['win32'] });
    expect(platform('node-gyp')).toBeNull();
  });

  it('has an entry for each optional dependency that pins a version', () => {
    const { packages } = JSON.parse(text) as { packages: Record<string, { optionalDependencies?: Record<string, string> }> };
    const pinned = Object.values(packages).flatMap(({ optionalDependencies = {} }) => Object.entries(optionalDependencies));
    const missing = pinned.filter(([name, version]) => /^\d/.test(version) && !packages[`node_modules/${name}`]);
    expect(missing).toEqual([]);
  });
});

/** The lock file with only the fields that the test needs: it is passed on a command line. */
function platformParts(text: string): Record<string, object> {
  const { packages } = JSON.parse(text) as { packages: Record<string, { optionalDependencies?: object }> };
  return Object.fromEntries(Object.entries(packages).map(([path, { optionalDependencies }]) => [path, { optionalDependencies }]));
}
