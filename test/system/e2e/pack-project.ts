/** An empty TypeScript project outside of the repository, with the packed package and the README's example in it. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, realpathSync, renameSync, writeFileSync, mkdtempSync } from 'node:fs';
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

export interface Project {
  folder: string;
  env: NodeJS.ProcessEnv;
}

/** `npm pack` of a package of the repository as it is built; default: the engine. @returns the tarball's path */
export function pack(into: string, name = '.'): string {
  mkdirSync(into, { recursive: true });
  const before = new Set(readdirSync(into));
  npm(['pack', '--ignore-scripts', '--pack-destination', into], join(ROOT, name));
  return join(
    into,
    readdirSync(into).find((file) => file.endsWith('.tgz') && !before.has(file))!,
  );
}

/** The paths in a tarball, below its `package/`. */
export function pathsIn(tarball: string): string[] {
  const listed = execFileSync('tar', ['-tzf', tarball], { encoding: 'utf8', maxBuffer: 1 << 24 });
  return listed.split('\n').flatMap((path) => (path === '' ? [] : [path.replace(/^package\//, '')]));
}

/** @param like a project that is done with: its installed packages go over to this one */
export function createProject(tarball: string, type: 'module' | 'commonjs', like?: Project): Project {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), `holdfast-project-${type}-`)));
  npm(['init', '-y'], folder);
  if (like) renameSync(join(like.folder, 'node_modules'), join(folder, 'node_modules'));
  else install(folder, tarball);
  npm(['pkg', 'set', `type=${type}`], folder);
  for (const [name, text] of Object.entries(readmeExample())) writeFileSync(join(folder, name), text);
  return { folder, env: environment({ HOLDFAST_HOME: undefined }) };
}

/** Installs these tarballs, and what the examples import besides. */
export function install(folder: string, ...tarballs: string[]): void {
  const beside = [`zod@${dependencies!.zod}`, `typescript@${devDependencies!.typescript}`];
  npm(['install', '--prefer-offline', '--no-audit', '--no-fund', ...tarballs, ...beside], folder);
}

export function npm(args: string[], cwd: string): void {
  execFileSync('npm', [...args, '--loglevel', 'error'], { cwd, stdio: ['ignore', 'ignore', 'inherit'], env: environment() });
}
