/** Installs the dependencies: runs `npm ci` if the lock file has changed since the last installation. */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readStamp } from './fingerprint.mjs';
import { runChild } from './run-child.mjs';

const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';

const stampPath = (root) => join(root, 'node_modules', '.holdfast-lock');
const lockHash = (root) =>
  createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');

export function isInstalled(root) {
  return readStamp(stampPath(root)) === lockHash(root) || matchesByHand(root);
}

/** @returns {Promise<boolean>} whether anything had to be done */
export async function install(root, say) {
  const hash = lockHash(root);
  if (readStamp(stampPath(root)) === hash) return false;
  if (matchesByHand(root)) {
    writeFileSync(stampPath(root), hash);
    return false;
  }
  say('installing dependencies (npm ci) …');
  // Development dependencies too, no matter what NODE_ENV says: the compiler is one of them.
  const { code, output } = await runChild(npm, ['ci', '--include=dev', '--no-audit', '--no-fund'], { cwd: root, capture: true });
  if (code !== 0) throw new Error(`npm ci failed (exit ${code}):\n${output.trim()}`);
  mkdirSync(join(root, 'node_modules'), { recursive: true });
  writeFileSync(stampPath(root), hash);
  return true;
}

/**
 * True if somebody ran `npm ci` or `npm install` by hand: npm's own record of what it installed has every package and version of
 * the lock file.
 */
function matchesByHand(root) {
  try {
    const wanted = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages;
    const present = JSON.parse(readFileSync(join(root, 'node_modules', '.package-lock.json'), 'utf8')).packages;
    return Object.entries(wanted).every(
      ([path, { version, optional, devOptional }]) =>
        path === '' || optional || devOptional || present[path]?.version === version,
    );
  } catch {
    return false;
  }
}
