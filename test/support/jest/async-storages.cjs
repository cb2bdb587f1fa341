/**
 * Each AsyncLocalStorage that has been used is asked at every promise of its process, until it is disabled: Jest leaves one behind
 * for each test file, the Temporal SDK one for each connection. The files that came last took up to ten times as long.
 */
const { AsyncLocalStorage } = require('node:async_hooks');

/** One set a process, however often this file is loaded. */
const used = (globalThis[Symbol.for('holdfast-async-storages')] ??= watched());

function watched() {
  const storages = new Set();
  for (const name of ['run', 'enterWith']) {
    const method = AsyncLocalStorage.prototype[name];
    AsyncLocalStorage.prototype[name] = function (...args) {
      storages.add(this);
      return method.apply(this, args);
    };
  }
  return storages;
}

/** After a test file. A storage that is used again is enabled again by Node. */
module.exports = function disableAsyncStorages() {
  for (const storage of used) storage.disable();
  used.clear();
};
