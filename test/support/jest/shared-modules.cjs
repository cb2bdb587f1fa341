/**
 * Modules of ours that are loaded once for all files of a Jest process: rooms that keep nothing between two calls (lint holds it,
 * `holdfast/no-module-state`) and import nothing but each other and packages. Verification, hashes and rules are asked in most
 * tests, and code that was loaded anew for each file was slow each time.
 */
const { existsSync } = require('node:fs');
const { createRequire } = require('node:module');
const { dirname, join, sep } = require('node:path');

/** Lint has the same list (`.oxlintrc.json`). */
const ROOMS = [
  'attestation',
  'audit',
  'data-converter',
  'rules',
  'shared',
  'store',
  'telemetry',
  'version',
  'workflows/contract',
];
const src = join(__dirname, '../../../src');
const places = ROOMS.map((room) => join(src, room)).flatMap((path) => [`${path}.ts`, `${path}${sep}`]);

/** By path. */
const modules = new Map();
/** Where Jest finds the map from what it has compiled to what we wrote, by path. */
const sourceMaps = new Map();

/** @returns {string | null} the file, where it is one of theirs */
function sharedFile(from, name) {
  const path = join(dirname(from), name);
  if (!places.some((place) => `${path}.ts` === place || `${path}${sep}`.startsWith(place))) return null;
  return [`${path}.ts`, join(path, 'index.ts')].find((file) => existsSync(file)) ?? null;
}

/** @param compile of Jest: a path to the module's function */
function load(filename, compile) {
  const known = modules.get(filename);
  if (known) return known.exports;
  const module = { id: filename, filename, path: dirname(filename), exports: {}, loaded: false, children: [] };
  modules.set(filename, module);
  try {
    const ofPackages = createRequire(filename);
    const require = (name) => {
      if (!name.startsWith('.')) return ofPackages(name);
      const file = sharedFile(filename, name);
      return file === null ? ofPackages(name) : load(file, compile);
    };
    require.resolve = ofPackages.resolve;
    compile(filename).call(module.exports, module, module.exports, require, module.path, filename);
    module.loaded = true;
  } catch (error) {
    modules.delete(filename);
    throw error;
  }
  return module.exports;
}

module.exports = { load, sharedFile, sourceMaps };
