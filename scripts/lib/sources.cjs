/**
 * Resolves this repository's packages by name to their sources, for code that runs from source: in Jest, and as
 * `npx tsx src/worker.ts` in a checkout without a build. The compiler and lint read the same from packs/tsconfig.json.
 */
const { existsSync } = require('node:fs');
const Module = require('node:module');
const { join } = require('node:path');

const ROOT = join(__dirname, '..', '..');
const FOLDERS = ['packs', 'packages'];
const OF_ENGINE = { testing: 'testing/index.ts', http: 'http-client/index.ts' };

/** @returns {string | null} the file; null for a package of another project */
function sourceOf(name) {
  const [, own] = /^@holdfast\/([a-z-]+)$/.exec(name) ?? [];
  if (own) return FOLDERS.map((folder) => join(ROOT, folder, own, 'src', 'index.ts')).find(existsSync) ?? null;
  const engine = /^holdfast(?:\/([a-z]+))?$/.exec(name);
  if (!engine) return null;
  const [, entry] = engine;
  return join(ROOT, 'src', entry === undefined ? 'index.ts' : (OF_ENGINE[entry] ?? `entries/${entry}.ts`));
}

let done = false;

/** Makes Node resolve these names to their sources, in this process. */
function resolveSources() {
  if (done) return;
  done = true;
  const resolve = Module._resolveFilename;
  Module._resolveFilename = (name, ...rest) => resolve.call(Module, sourceOf(name) ?? name, ...rest);
}

module.exports = { sourceOf, resolveSources };
