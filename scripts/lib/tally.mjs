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

/** `N passed, N failed`, and skips only if there are any. */
export function totalLine({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}
