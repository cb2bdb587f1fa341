/**
 * Jest's own runner of a test file, without the message to the main process at the beginning and the end of each test, which no
 * reporter here reads: 13,000 of them took a fifteenth of the CPU time of the unit tests.
 */
const circus = require('jest-circus/runner').default;

module.exports = (globalConfig, config, environment, runtime, testPath) =>
  circus(globalConfig, config, environment, runtime, testPath);
