/** An empty TypeScript project outside of the repository, with packed packages and the README's example in it. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { environment } from '../cli/support/cli';

const ROOT = join(__dirname, '../../..');
const manifest = readFileSync(join(ROOT, 'package.json'), 'utf8');
const { dependencies, devDependencies } = JSON.parse(manifest) as Record<string, Record<string, string>>;

/** The first example of README.md, as printed: two files, each with its name in its first line. */
export function readmeExample(): { 'app.ts': string; 'service.ts': string } {
  const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
  const [, example] = /```ts\n(\/\/ app\.ts[^]*?)```\n/.exec(readme)!;
  const service = example!.indexOf('// service.ts');
  return { 'app.ts': example!.slice(0, service), 'service.ts': example!.slice(service) };
}

export interface Packed {
  tarball: string;
  /** Its paths, below `package/`. */
  paths: string[];
}

/** `npm pack` of packages of the repository, by their folders, as they are built. */
export function pack(into: string, ...folders: string[]): Packed[] {
  mkdirSync(into, { recursive: true });
  const from = folders.map((folder) => `./${folder}`);
  const listed = npm(['pack', '--ignore-scripts', '--json', '--pack-destination', into, ...from], ROOT);
  const packed = JSON.parse(listed) as { filename: string; files: { path: string }[] }[];
  return packed.map(({ filename, files }) => ({ tarball: join(into, filename), paths: files.map(({ path }) => path) }));
}

/**
 * An empty project, with these tarballs installed, and what the examples import besides. It has an older protobufjs, as projects with gRPC
 * have: npm then gives each package of Temporal's SDK a copy of the newer one.
 * @returns its folder
 */
export function createProject(tarballs: string[]): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-project-')));
  writeExample(folder, 'module');
  const beside = ['protobufjs@^7', `zod@${dependencies!.zod}`, devDependencies!['typescript-7']!.replace('npm:', '')];
  npm(['install', '--prefer-offline', '--no-audit', '--no-fund', ...tarballs, ...beside], folder);
  return folder;
}

/** The example of the README, in a folder whose package.json says which kind of modules it has. */
export function writeExample(folder: string, type: 'module' | 'commonjs'): void {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, 'package.json');
  const before = existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as object) : { name: 'project', private: true };
  writeFileSync(path, JSON.stringify({ ...before, type }));
  for (const [name, text] of Object.entries(readmeExample())) writeFileSync(join(folder, name), text);
}

/** `create-holdfast` as it is packed: its program, out of the tarball. */
export function unpackCreator(into: string): string {
  const [{ tarball }] = pack(into, 'packages/create-holdfast') as [Packed];
  execFileSync('tar', ['-xzf', tarball, '-C', into]);
  return join(into, 'package/bin/create-holdfast.js');
}

export function npm(args: string[], cwd: string): string {
  const options = { cwd, env: environment(), encoding: 'utf8', maxBuffer: 1 << 24 } as const;
  return execFileSync('npm', [...args, '--loglevel', 'error'], { ...options, stdio: ['ignore', 'pipe', 'inherit'] });
}
