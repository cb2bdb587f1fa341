/**
 * Test files run in the context of their Jest process, not in one of their own: packages are then loaded once a process
 * (runtime.cjs), and values of Node, of packages and of tests are of the same classes. What a file changes of `process.env` is undone.
 */
const { LegacyFakeTimers, ModernFakeTimers } = require('@jest/fake-timers');
const { ModuleMocker } = require('jest-mock');
const fs = require('node:fs');
const disableAsyncStorages = require('./async-storages.cjs');

/** What Jest keeps of a context, so that fake timers and mocks of a test do not change it for Jest itself. */
const NATIVE = {
  promise: Promise,
  now: Date.now.bind(Date),
  'read-file': fs.readFileSync.bind(fs),
  'write-file': fs.writeFileSync.bind(fs),
  'exists-file': fs.existsSync.bind(fs),
};

module.exports = class OneContextEnvironment {
  constructor({ projectConfig }) {
    this.before = { env: { ...process.env }, exit: process.exit, console };
    this.global = globalThis;
    for (const [name, value] of Object.entries(NATIVE)) globalThis[Symbol.for(`jest-native-${name}`)] ??= value;
    globalThis['jest-symbol-do-not-touch'] ??= Symbol;
    this.moduleMocker = new ModuleMocker(globalThis);
    const timerConfig = { idToRef: (id) => id, refToId: (ref) => ref };
    const { moduleMocker } = this;
    this.fakeTimers = new LegacyFakeTimers({ config: projectConfig, global: globalThis, moduleMocker, timerConfig });
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis });
  }

  async setup() {}

  async teardown() {
    this.fakeTimers.dispose();
    this.fakeTimersModern.dispose();
    disableAsyncStorages();
    const { env, exit } = this.before;
    for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
    Object.assign(process.env, env);
    process.exit = exit;
    globalThis.console = this.before.console;
  }

  exportConditions() {
    return ['node', 'node-addons'];
  }

  /** Not null, so that Jest takes the environment for alive; runtime.cjs compiles without it. */
  getVmContext() {
    return globalThis;
  }
};
