/** Counts the results of Jest runs, and makes the lines that report them. */
import { relative } from 'node:path';

/**
 * @param {number} code Jest's exit code
 * @param {object | null} summary its JSON summary; null when it crashed before writing one, which is a failure
 */
export function countJest(code, summary) {
  if (summary === null) return { passed: 0, failed: 1, skipped: 0 };
  // An interrupted run has files that did not run: each is a failure too.
  const notRun = summary.numTotalTestSuites - summary.testResults.length;
  const failed = summary.numFailedTests + summary.numRuntimeErrorTestSuites + notRun;
  return {
    passed: summary.numPassedTests,
    failed: failed === 0 && code !== 0 ? 1 : failed,
    skipped: summary.numPendingTests + summary.numTodoTests,
  };
}

/**
 * @param {object | null} summary of a Jest run
 * @param {string} root file names are relative to it
 * @returns {{file: string, title: string}[]} its failed tests; a file that could not be loaded counts as one
 */
export function failedTests(summary, root) {
  return (summary?.testResults ?? [])
    .filter(({ status }) => status === 'failed')
    .flatMap(({ name, assertionResults }) => {
      const titles = assertionResults.filter(({ status }) => status === 'failed').map(({ fullName }) => fullName);
      const file = relative(root, name);
      return (titles.length > 0 ? titles : ['(the file)']).map((title) => ({ file, title }));
    });
}

export function addCounts(a, b) {
  return Object.fromEntries(Object.keys(a).map((key) => [key, a[key] + b[key]]));
}

/**
 * The last lines: unstable tests by name, skips if there are any, then `N passed, N failed`, alone on the last line.
 * @param counts of `countJest`
 * @param {{file: string, title: string, unstable?: boolean}[]} failures unstable: passed when it was run alone
 */
export function totalLines({ passed, failed, skipped }, failures = []) {
  const unstable = failures.filter((failure) => failure.unstable).map(({ file, title }) => `unstable: ${file} › ${title}`);
  const skips = skipped > 0 ? [`${skipped} skipped: their names say what they need`] : [];
  return [...unstable, ...skips, `${passed} passed, ${failed} failed`].join('\n');
}
