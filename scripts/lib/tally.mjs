/** Counting: what a Jest run comes to, and the line that says so. */

/**
 * @param {number} code Jest's exit code
 * @param {object | null} summary its JSON summary; null when it crashed before writing one, which is a failure
 */
export function countJest(code, summary) {
  if (summary === null) return { passed: 0, failed: 1, skipped: 0 };
  // A file that could not be loaded has no tests, so it counts as one failure of its own.
  // A run that was broken off has files that nobody has run: each is a failure too.
  const notRun = summary.numTotalTestSuites - summary.testResults.length;
  const failed = summary.numFailedTests + summary.numRuntimeErrorTestSuites + notRun;
  return {
    passed: summary.numPassedTests,
    failed: failed === 0 && code !== 0 ? 1 : failed,
    skipped: summary.numPendingTests + summary.numTodoTests,
  };
}

/** Files of a Jest run that failed, each as Jest reports it. */
export function failedFiles(summary) {
  return (summary?.testResults ?? []).filter(({ status }) => status === 'failed');
}

/**
 * What a run comes to after one of its failed files was run again: the second run counts, the first does not.
 * @param counts of `countJest`
 * @param {object} file as Jest reported it the first time
 * @param again counts of the second run
 */
export function countAgain(counts, file, again) {
  const of = (...statuses) => file.assertionResults.filter(({ status }) => statuses.includes(status)).length;
  const first = { passed: of('passed'), failed: of('failed') || 1, skipped: of('pending', 'todo') };
  return Object.fromEntries(Object.keys(counts).map((key) => [key, counts[key] - first[key] + again[key]]));
}

/** Skips on a line of their own, if there are any; then `N passed, N failed`, alone on the last line. */
export function totalLines({ passed, failed, skipped }) {
  const skips = skipped > 0 ? `${skipped} skipped: what they need stands in their names\n` : '';
  return `${skips}${passed} passed, ${failed} failed`;
}
