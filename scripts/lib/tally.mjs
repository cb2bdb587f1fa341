/** Counting: what a Jest run comes to, and the line that says so. */

/**
 * @param {number} code Jest's exit code
 * @param {object | null} summary its JSON summary; null when it crashed before writing one, which is a failure
 */
export function countJest(code, summary) {
  if (summary === null) return { passed: 0, failed: 1, skipped: 0 };
  // A file that could not be loaded has no tests, so it counts as one failure of its own.
  const failed = summary.numFailedTests + summary.numRuntimeErrorTestSuites;
  return {
    passed: summary.numPassedTests,
    failed: failed === 0 && code !== 0 ? 1 : failed,
    skipped: summary.numPendingTests + summary.numTodoTests,
  };
}

/** Skips on a line of their own, if there are any; then `N passed, N failed`, alone on the last line. */
export function totalLines({ passed, failed, skipped }) {
  const skips = skipped > 0 ? `${skipped} skipped: what they need stands in their names\n` : '';
  return `${skips}${passed} passed, ${failed} failed`;
}
