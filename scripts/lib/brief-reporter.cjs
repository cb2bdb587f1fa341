/**
 * A Jest reporter for whole runs: prints each failed test at once, in a few lines, and progress from time to time. The output of
 * Jest and of the tests goes to the log.
 */
const { writeSync } = require('node:fs');
const { relative } = require('node:path');

/** Files between two lines of progress. */
const PROGRESS_EVERY = 25;
/** Slowest files listed at the end. */
const SLOWEST = 12;
/** Lines of a failure's message: the first ones say what was expected. */
const LINES_OF_MESSAGE = 12;
/** Characters of the first line, which may say what a test that did not end waits for. */
const FIRST_LINE = 2000;
const OTHER_LINES = 200;
/** File descriptor for the output of the script that started Jest. Jest's own two go to the log. */
const OUTPUT = Number(process.env.HOLDFAST_TEST_OUTPUT ?? 1);
const COLOURS = /\u001b\[[0-9;]*m/g;

module.exports = class BriefReporter {
  constructor({ rootDir }) {
    this.rootDir = rootDir;
    /** Duration of each file, ms. */
    this.times = [];
  }

  onTestResult(test, result, { numTotalTestSuites: files, numPassedTests: passed, numFailedTests: failed, ...totals }) {
    const file = relative(this.rootDir, test.path);
    const project = test.context.config.displayName.name;
    const took = result.perfStats.runtime;
    this.times.push({ file, took });
    console.log(`${seconds(took)} ${file}`);
    const failures = result.testResults.filter(({ status }) => status === 'failed');
    for (const { fullName, failureMessages } of failures) this.fail(`${file} › ${fullName}`, failureMessages.join('\n'));
    // A file that could not be loaded, or whose last hook has failed; Jest counts that beside its failed tests.
    const fault = failures.length === 0 ? result.failureMessage : result.testExecError?.stack;
    if (fault) this.fail(file, fault);
    const done = totals.numPassedTestSuites + totals.numFailedTestSuites + totals.numPendingTestSuites;
    if (done % PROGRESS_EVERY === 0 || done === files)
      this.say(`${project}: ${done} of ${files} files, ${passed} passed, ${failed} failed`);
  }

  onRunComplete() {
    const slowest = this.times.sort((a, b) => b.took - a.took).slice(0, SLOWEST);
    this.say(
      `slowest: ${slowest.map((one) => `${one.file.replace(/^test\/|\.test\.ts$/g, '')} ${seconds(one.took)}`).join(', ')}`,
    );
  }

  /** Prints a few lines; the whole message goes to the log. */
  fail(what, message) {
    const plain = message.replace(COLOURS, '');
    this.say(`FAIL ${what}\n${brief(plain)}`);
    console.log(`FAIL ${what}\n${plain}`);
  }

  say(text) {
    writeSync(OUTPUT, `${text}\n`);
  }
};

function seconds(ms) {
  return `${(ms / 1000).toFixed(1)} s`;
}

function brief(message) {
  const lines = message.split('\n').filter((line) => line.trim() !== '');
  return lines
    .slice(0, LINES_OF_MESSAGE)
    .map((line, index) => `     ${line.slice(0, index === 0 ? FIRST_LINE : OTHER_LINES)}`)
    .join('\n');
}
