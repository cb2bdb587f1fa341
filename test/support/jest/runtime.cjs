/**
 * Jest's module system, but for packages: Node loads those, once for all files of a Jest process. Loading the SDKs anew for each
 * of hundreds of files took a third of the run. So are rooms of ours that keep no state (shared-modules.cjs). All other modules are
 * still loaded anew for each file, so that no file sees what another has left in them; but a process compiles each of them once.
 */
const { readFileSync } = require('node:fs');
const { createRequire } = require('node:module');
const vm = require('node:vm');
const { default: Runtime } = require('jest-runtime');
const shared = require('./shared-modules.cjs');

const PACKAGE = /^(?!node:)[^./]/;
/** A file that replaces modules gets all of ours anew. */
const MOCKS = /\bjest\s*\.(?:mock|doMock|isolateModules|resetModules)\b/;
const importModuleDynamically = vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER;

/** Of each file what was compiled last, and of which source. */
const compiled = new Map();

/** @returns a new function of the source: what an earlier one has loaded is not there, only its code is shared */
function moduleFunction(source, filename, parameters) {
  let known = compiled.get(filename);
  if (known?.source !== source) {
    const head = `(function (${parameters.join(', ')}) {`;
    const options = { filename, columnOffset: -head.length, importModuleDynamically };
    compiled.set(filename, (known = { source, script: new vm.Script(`${head}${source}\n})`, options) }));
  }
  return known.script.runInThisContext();
}

module.exports = class SharedPackagesRuntime extends Runtime {
  constructor(...args) {
    super(...args);
    const [, , , , , coverage, testPath] = args;
    const { executor } = this.cjsLoader;
    // What is measured, or changed by Stryker, counts for each file.
    const anew = coverage?.collectCoverage || globalThis.__stryker__ || MOCKS.test(readFileSync(testPath, 'utf8'));
    this.sharedFile = anew ? () => null : shared.sharedFile;
    const maps = this.getSourceMaps();
    for (const [path, map] of shared.sourceMaps) maps.set(path, map);
    this.compileShared = (path) => {
      const compiled = moduleFunction(this.transformCache.transform(path), path, executor.injectedModuleParameters);
      if (maps.has(path)) shared.sourceMaps.set(path, maps.get(path));
      return compiled;
    };
    executor.compile = (source, filename) =>
      coverage?.collectCoverage // counts characters from the beginning of the source
        ? vm.compileFunction(source, executor.injectedModuleParameters, { filename, importModuleDynamically })
        : moduleFunction(source, filename, executor.injectedModuleParameters);
  }

  requireModule(from, name, options, isRequireActual) {
    if (name && PACKAGE.test(name) && !options?.isInternalModule) return createRequire(from)(name);
    const file = name?.startsWith('.') && !options?.isInternalModule ? this.sharedFile(from, name) : null;
    if (file !== null) return shared.load(file, this.compileShared);
    return super.requireModule(from, name, options, isRequireActual);
  }

  /** Packages of Jest's own, as `expect`; jest-circus itself, which has a state for each file, asks for its parts by path. */
  requireInternalModule(from, name) {
    return name && PACKAGE.test(name) ? createRequire(from)(name) : super.requireInternalModule(from, name);
  }
};
