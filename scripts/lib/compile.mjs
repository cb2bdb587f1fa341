/**
 * Compiles src/ → dist/, packs/NAME/src → packs/NAME/dist and packages/tool-kit, and makes the workflow bundle, the bundle for
 * `audit replay`, packages/verify/dist, and the approvers' page in dist/page-files. One compiler run for all packages: a second one would read the engine's types again.
 * The compiler writes to folders of its own, which then replace dist/ as a whole: nobody sees half a build, and no output of a
 * deleted source remains.
 */
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { fingerprint, readStamp } from './fingerprint.mjs';
import { buildPage, PAGE_INPUTS } from './page.mjs';
import { runChild } from './run-child.mjs';
import { buildVerify, VERIFY_INPUTS } from './verify-package.mjs';

const INPUTS = [
  ...['src', 'package-lock.json', 'tsconfig.json', 'packs/tsconfig.json', 'scripts/lib/compile.mjs'],
  ...VERIFY_INPUTS,
  ...PAGE_INPUTS,
];
const STAMP = '.holdfast-build';
/**
 * This line of `replay-bundle.js` names the workflow bundle for which it replays. It comes before the source map, which must be
 * last: text after the map is read as part of the map.
 */
const REPLAY_OF = '// Replays for the workflow bundle with SHA-256 ';

/** Packages that are compiled with the engine but are not packs. */
const BESIDE = ['packages/tool-kit'];

/** Folders of packages, relative to the root; the engine's first. */
function packages(root) {
  const packs = join(root, 'packs');
  const names = existsSync(packs) ? readdirSync(packs).filter((name) => existsSync(join(packs, name, 'src'))) : [];
  return ['.', ...names.sort().map((name) => `packs/${name}`), ...BESIDE.filter((folder) => existsSync(join(root, folder)))];
}

function inputsHash(root) {
  const sources = packages(root).slice(1);
  return fingerprint(root, [...INPUTS, ...sources.map((folder) => `${folder}/src`)]);
}

export function isCompiled(root) {
  const built = packages(root).every((folder) => existsSync(join(root, folder, 'dist')));
  return built && readStamp(join(root, 'dist', STAMP)) === inputsHash(root);
}

/** @returns {Promise<boolean>} whether anything had to be done */
export async function compile(root, say) {
  if (isCompiled(root)) return false;
  const hash = inputsHash(root);
  say('compiling src → dist …');
  await compileSources(root);
  const fresh = join(root, 'dist.new');

  if (existsSync(join(fresh, 'workflows', 'index.js'))) {
    say('bundling the workflows …');
    const { bundleWorkflows } = createRequire(import.meta.url)(join(fresh, 'worker', 'workflow-bundle.js'));
    const bundle = await bundleWorkflows(fresh);
    writeFileSync(join(fresh, 'workflow-bundle.js'), bundle);
    const replay = await bundleWorkflows(fresh, { records: true });
    const line = `${REPLAY_OF}${createHash('sha256').update(bundle).digest('hex')}\n`;
    const map = replay.lastIndexOf('//# sourceMappingURL=');
    writeFileSync(join(fresh, 'replay-bundle.js'), `${replay.slice(0, map)}${line}${replay.slice(map)}`);
  }
  await buildVerify(root);
  say('bundling the page …');
  await buildPage(root, join(fresh, 'page-files'));
  makeExecutable(join(fresh, 'cli', 'main.js'));
  writeFileSync(join(fresh, STAMP), hash);
  for (const folder of packages(root)) swap(join(root, folder));
  return true;
}

/** Compiles each package's sources into its `dist.new`. */
async function compileSources(root) {
  const out = join(root, 'build.new');
  for (const folder of [out, ...packages(root).map((name) => join(root, name, 'dist.new'))])
    rmSync(folder, { recursive: true, force: true });
  const all = join(root, 'packs', 'tsconfig.json');
  const project = existsSync(all) ? all : join(root, 'tsconfig.json');
  // Types are checked by lint. TypeScript 7 is a program only: what needs the compiler as a library takes TypeScript 5.
  const tsc = join(root, 'node_modules', 'typescript-7', 'bin', 'tsc');
  const args = [tsc, '-p', project, '--rootDir', root, '--outDir', out, '--noCheck'];
  const { code, output } = await runChild(process.execPath, args, { cwd: root, capture: true });
  if (code !== 0) {
    rmSync(out, { recursive: true, force: true });
    throw new Error(`the TypeScript compiler found errors:\n${output.trim()}`);
  }
  for (const folder of packages(root)) {
    correctSourceMaps(join(out, folder, 'src'), join(root, folder));
    renameSync(join(out, folder, 'src'), join(root, folder, 'dist.new'));
  }
  rmSync(out, { recursive: true, force: true });
}

/** Corrects the paths in source maps: the compiler writes them for its output folder, and the files are moved from there. */
function correctSourceMaps(compiled, folder) {
  for (const name of readdirSync(compiled, { recursive: true })) {
    if (!name.endsWith('.map')) continue;
    const path = join(compiled, name);
    const map = JSON.parse(readFileSync(path, 'utf8'));
    const from = dirname(join(folder, 'dist', name));
    map.sources = map.sources.map((source) =>
      relative(from, resolve(dirname(path), source))
        .split(sep)
        .join('/'),
    );
    writeFileSync(path, JSON.stringify(map));
  }
}

/** `npx holdfast` in a checkout executes the file itself. */
function makeExecutable(path) {
  if (existsSync(path) && readFileSync(path, 'utf8').startsWith('#!')) chmodSync(path, 0o755);
}

function swap(folder) {
  const dist = join(folder, 'dist');
  const old = join(folder, 'dist.old');
  rmSync(old, { recursive: true, force: true });
  if (existsSync(dist)) renameSync(dist, old);
  renameSync(join(folder, 'dist.new'), dist);
  rmSync(old, { recursive: true, force: true });
}
