/**
 * Jest's module system, but for packages that are not our own: Node loads those, once for all files of a Jest process. Loading the SDKs anew for each
 * of hundreds of files took a third of the run. Our own modules are still loaded anew for each file, so that no file sees what
 * another has left in them, and mocks work as ever; but a process compiles each of them once.
 */
const { createRequire } = require('node:module');
const vm = require('node:vm');
const { default: Runtime } = require('jest-runtime');
const { sourceOf } = require('../../../scripts/lib/sources.cjs');

const PACKAGE = /^(?!node:)[^./]/;
const isShared = (name) => PACKAGE.test(name) && sourceOf(name) === null;
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
    const [, , , , , coverage] = args;
    const { executor } = this.cjsLoader;
    executor.compile = (source, filename) =>
      coverage?.collectCoverage // counts characters from the beginning of the source
        ? vm.compileFunction(source, executor.injectedModuleParameters, { filename, importModuleDynamically })
        : moduleFunction(source, filename, executor.injectedModuleParameters);
  }

  requireModule(from, name, options, isRequireActual) {
    if (name && isShared(name) && !options?.isInternalModule) return createRequire(from)(name);
    return super.requireModule(from, name, options, isRequireActual);
  }

  /** Packages of Jest's own, as `expect`; jest-circus itself, which has a state for each file, asks for its parts by path. */
  requireInternalModule(from, name) {
    return name && PACKAGE.test(name) ? createRequire(from)(name) : super.requireInternalModule(from, name);
  }
};
