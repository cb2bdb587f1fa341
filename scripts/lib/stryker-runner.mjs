/**
 * A Stryker test runner for our unit tests. It uses Jest's own module system, environment, mocks and matchers, in one process, and
 * runs the tests one after the other until one fails. Stryker's own runner for Jest starts a whole Jest run for each mutant, and
 * cannot end at the first failure: that took ten times as long. Each mutant loads all our modules again, as each file does in Jest.
 * The first run, without a mutant, must pass: it shows that the tests do the same here as in Jest.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { relative, resolve } from 'node:path';
import { harness } from './stryker-harness.mjs';

const require = createRequire(import.meta.url);
const { createScriptTransformer } = require('@jest/transform');
const { jestExpect: expect } = require('@jest/expect');
const { readConfig } = require('jest-config');
const { default: Runtime } = require('jest-runtime');
const { SearchSource } = require('@jest/core');

/** Stryker's object, from which the changed source reads which mutant is active and which test runs. */
const stryker = (globalThis.__stryker__ ??= {});

class UnitTestRunner {
  static inject = ['options'];
  /** File → its tests' ids, in the order in which they run; null: not known. */
  tests = new Map();

  constructor(options) {
    this.settings = options.unitTests;
  }

  capabilities() {
    return { reloadEnvironment: true };
  }

  async init() {
    const { config, patterns } = this.settings;
    const roots = [...new Set(patterns.map((pattern) => pattern.replace(/\/[^/]*\*.*$|\/[^/]*$/, '')))];
    const base = require(`${process.cwd()}/${config}`);
    const own = JSON.stringify({ ...base, roots, testMatch: patterns });
    const { globalConfig, projectConfig } = await readConfig({ _: [], $0: '', config: own }, process.cwd());
    this.globalConfig = globalConfig;
    this.projectConfig = projectConfig;
    this.context = await Runtime.createContext(projectConfig, { console, maxWorkers: 1, watch: false, watchman: false });
    this.transformer = await createScriptTransformer(projectConfig, new Map());
    this.Environment = require(projectConfig.testEnvironment);
    this.Runtime = require(projectConfig.runtime);
    const { tests } = await new SearchSource(this.context).getTestPaths(globalConfig, projectConfig);
    this.files = tests.map(({ path }) => path).sort();
    // If an endless mutant ended the process, the new process has no first run: it runs all tests.
    this.tests = new Map(this.files.map((file) => [file, null]));
  }

  async dryRun() {
    const tests = [];
    const took = new Map();
    stryker.activeMutant = undefined;
    stryker.mutantCoverage = { static: {}, perTest: {} };
    for (const file of this.files) {
      const done = await this.runFile(file, { coverage: true });
      if (done.error) return { status: 'error', errorMessage: `${file}: ${textOf(done.error)}` };
      this.tests.set(
        file,
        done.results.map(({ id }) => id),
      );
      took.set(
        file,
        done.results.reduce((sum, { ms }) => sum + ms, 0),
      );
      for (const { id, ms, error } of done.results) {
        const common = { id, name: id, fileName: file, timeSpentMs: ms };
        tests.push(error ? { ...common, status: 1, failureMessage: textOf(error) } : { ...common, status: 0 });
      }
    }
    // Quick files run first: most mutants need no more.
    this.tests = new Map([...this.tests].sort(([a], [b]) => took.get(a) - took.get(b)));
    return { status: 'complete', tests, mutantCoverage: stryker.mutantCoverage };
  }

  async mutantRun({ activeMutant, testFilter, hitLimit, mutantActivation }) {
    const wanted = testFilter && new Set(testFilter);
    stryker.hitLimit = hitLimit;
    stryker.hitCount = hitLimit ? 0 : undefined;
    let nrOfTests = 0;
    try {
      for (const [file, ids] of this.tests) {
        if (wanted && ids && !ids.some((id) => wanted.has(id))) continue;
        const active = { mutant: activeMutant.id, fromTheStart: mutantActivation === 'static' };
        const { error, results } = await this.runFile(file, { wanted, active, bail: true });
        nrOfTests += results.length;
        if (hitLimit && stryker.hitCount > hitLimit) return { status: 'timeout', reason: 'the same code ran over and over' };
        const failed = results.find((result) => result.error);
        if (failed?.error.endless) return { status: 'timeout', reason: failed.error.message };
        // The file no longer loads, so none of its tests passes.
        if (error) return { status: 'killed', killedBy: ids ? [ids[0]] : [], failureMessage: textOf(error), nrOfTests };
        if (failed) return { status: 'killed', killedBy: [failed.id], failureMessage: textOf(failed.error), nrOfTests };
      }
      if (nrOfTests === 0) return { status: 'error', errorMessage: 'no test was run' };
      return { status: 'survived', nrOfTests };
    } finally {
      stryker.activeMutant = undefined;
      stryker.hitLimit = undefined;
      stryker.hitCount = undefined;
    }
  }

  /** @param options active: the mutant, and whether it is active while the file loads */
  async runFile(path, { wanted = null, active = null, bail = false, coverage = false }) {
    const { globalConfig, projectConfig, context, transformer } = this;
    const cache = new Map([[path, readFileSync(path, 'utf8')]]);
    const environment = new this.Environment({ globalConfig, projectConfig }, { console, docblockPragmas: {}, testPath: path });
    const runtime = new this.Runtime(projectConfig, environment, context.resolver, transformer, cache, {}, path, globalConfig);
    const tests = harness({ name: relative(process.cwd(), path), expect });
    Object.assign(globalThis, tests.globals);
    stryker.currentTestId = undefined;
    stryker.activeMutant = active?.fromTheStart ? active.mutant : undefined;
    try {
      for (const file of projectConfig.setupFiles) runtime.requireModule(file);
      runtime.requireModule(path);
      // Code that runs while a module loads counts for all tests, not only for the one that happens to load it.
      for (const file of this.settings.lazy) runtime.requireModule(resolve(file));
    } catch (error) {
      return { error, results: [] };
    }
    stryker.activeMutant = active?.mutant;
    const onTest = coverage ? (id) => void (stryker.currentTestId = id) : () => undefined;
    try {
      return { error: null, results: await tests.run({ wanted, bail, onTest, limitMs: projectConfig.testTimeout ?? 5000 }) };
    } finally {
      runtime.teardown();
      await environment.teardown();
    }
  }
}

function textOf(error) {
  return String(error?.message ?? error).slice(0, 500);
}

export const strykerPlugins = [{ kind: 'TestRunner', name: 'unit', injectableClass: UnitTestRunner }];
export const strykerValidationSchema = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  type: 'object',
  properties: { unitTests: { type: 'object' } },
};
