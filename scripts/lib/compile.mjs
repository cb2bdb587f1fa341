/**
 * src/ → dist/, and the workflow bundle beside it, and the one for `audit replay`; packages/verify/dist too. Built in a folder of its own and swapped in whole:
 * nobody sees half a build, and nothing of a deleted source file stays behind.
 */
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fingerprint, readStamp } from './fingerprint.mjs';
import { runChild } from './run-child.mjs';
import { buildVerify, VERIFY_INPUTS } from './verify-package.mjs';

const INPUTS = ['src', 'package-lock.json', 'tsconfig.json', 'scripts/lib/compile.mjs', ...VERIFY_INPUTS];
const STAMP = '.holdfast-build';
/** A line of `replay-bundle.js`: which workflow bundle it replays for. Before the source map, which has to stand last: what follows it is read as part of it. */
const REPLAY_OF = '// Replays for the workflow bundle with SHA-256 ';

export function isCompiled(root) {
  return readStamp(join(root, 'dist', STAMP)) === fingerprint(root, INPUTS);
}

/** @returns {Promise<boolean>} whether anything had to be done */
export async function compile(root, say) {
  if (isCompiled(root)) return false;
  const hash = fingerprint(root, INPUTS);
  const fresh = join(root, 'dist.new');
  rmSync(fresh, { recursive: true, force: true });
  mkdirSync(fresh);

  say('compiling src → dist …');
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const { code, output } = await runChild(process.execPath, [tsc, '-p', root, '--outDir', fresh], { cwd: root, capture: true });
  if (code !== 0) throw new Error(`the TypeScript compiler found errors:\n${output.trim()}`);

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
  makeExecutable(join(fresh, 'cli', 'main.js'));
  writeFileSync(join(fresh, STAMP), hash);
  swap(root, fresh);
  return true;
}

/** `npx holdfast` in a checkout runs the file itself. */
function makeExecutable(path) {
  if (existsSync(path) && readFileSync(path, 'utf8').startsWith('#!')) chmodSync(path, 0o755);
}

function swap(root, fresh) {
  const dist = join(root, 'dist');
  const old = join(root, 'dist.old');
  rmSync(old, { recursive: true, force: true });
  if (existsSync(dist)) renameSync(dist, old);
  renameSync(fresh, dist);
  rmSync(old, { recursive: true, force: true });
}
