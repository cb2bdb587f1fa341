/**
 * Jest's module system, but for packages: Node loads those, once for all files of a Jest process. Loading the SDKs anew for each
 * of hundreds of files took a third of the run. Our own modules are still loaded anew for each file, so that no file sees what
 * another has left in them, and mocks work as ever.
 */
const { createRequire } = require('node:module');
const vm = require('node:vm');
const { default: Runtime } = require('jest-runtime');

const PACKAGE = /^(?!node:)[^./]/;

module.exports = class SharedPackagesRuntime extends Runtime {
  constructor(...args) {
    super(...args);
    const { executor } = this.cjsLoader;
    executor.compile = (source, filename) =>
      vm.compileFunction(source, executor.injectedModuleParameters, {
        filename,
        importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
      });
  }

  requireModule(from, name, options, isRequireActual) {
    if (name && PACKAGE.test(name) && !options?.isInternalModule) return createRequire(from)(name);
    return super.requireModule(from, name, options, isRequireActual);
  }

  /** Packages of Jest's own, as `expect`; jest-circus itself, which has a state for each file, asks for its parts by path. */
  requireInternalModule(from, name) {
    return name && PACKAGE.test(name) ? createRequire(from)(name) : super.requireInternalModule(from, name);
  }
};
