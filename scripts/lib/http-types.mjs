/**
 * Keeps src/http-client/schema.ts, the types of the HTTP API, up to date. The file is generated and not in git. It is made again
 * only if a source file of the routes or a dependency has changed. Uses only Node's own modules: the generator is a separate
 * program.
 */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fingerprint } from './fingerprint.mjs';
import { runChild } from './run-child.mjs';

export const TYPES = 'src/http-client/schema.ts';
const GENERATOR = 'scripts/generate-http-client.mjs';
const STAMP = '.holdfast/http-types.json';
const INPUTS = [GENERATOR, 'scripts/lib/http-types.mjs', 'scripts/lib/openapi-document.mjs', 'package-lock.json'];

const stampOf = (root, sources) => fingerprint(root, [...INPUTS, ...sources, TYPES]);

/** True also if the sources have no HTTP client. */
export function isGenerated(root) {
  if (!existsSync(join(root, 'src', 'http-client'))) return true;
  try {
    const { sources, stamp } = JSON.parse(readFileSync(join(root, STAMP), 'utf8'));
    return existsSync(join(root, TYPES)) && stamp === stampOf(root, sources);
  } catch {
    return false;
  }
}

/** @returns {Promise<boolean>} whether anything had to be done */
export async function generate(root, say) {
  if (isGenerated(root)) return false;
  say('generating the types of the HTTP API …');
  const { code, output } = await runChild(process.execPath, [join(root, GENERATOR)], { cwd: root, capture: true });
  if (code !== 0) throw new Error(`${GENERATOR} failed (exit ${code}):\n${output.trim()}`);
  return true;
}

/**
 * Writes the types at once as a whole, and records the sources they are made of.
 * @param {string[]} sources names below root
 */
export function keep(root, text, sources) {
  mkdirSync(join(root, '.holdfast'), { recursive: true });
  replace(join(root, TYPES), text);
  replace(join(root, STAMP), JSON.stringify({ stamp: stampOf(root, sources), sources }));

  function replace(path, content) {
    const fresh = join(root, '.holdfast', `http-types.${process.pid}`);
    writeFileSync(fresh, content);
    renameSync(fresh, path);
  }
}
