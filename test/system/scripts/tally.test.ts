import { withModule } from './support/run-module';

const count = (code: number, summary: object | null) =>
  withModule('tally.mjs', 'return lib.countJest(input.code, input.summary)', { code, summary });
const summary = {
  ...{ numTotalTestSuites: 1, testResults: [{}] },
  ...{ numPassedTests: 5, numFailedTests: 0, numRuntimeErrorTestSuites: 0, numPendingTests: 0, numTodoTests: 0 },
};

describe('the count of npm test', () => {
  it('is what Jest says', () => {
    expect(count(0, summary)).toEqual({ passed: 5, failed: 0, skipped: 0 });
    expect(count(1, { ...summary, numFailedTests: 2, numPendingTests: 1 })).toEqual({ passed: 5, failed: 2, skipped: 1 });
  });

  it('takes a crash without a summary for a failure', () => {
    expect(count(0, null)).toEqual({ passed: 0, failed: 1, skipped: 0 });
  });

  it('counts a file that could not be loaded, and an exit code without a failed test', () => {
    expect(count(1, { ...summary, numRuntimeErrorTestSuites: 1 })).toMatchObject({ failed: 1 });
    expect(count(1, summary)).toMatchObject({ failed: 1 });
  });

  it('takes a file that was not run, since Jest was broken off, for a failure', () => {
    expect(count(0, { ...summary, numTotalTestSuites: 3 })).toEqual({ passed: 5, failed: 2, skipped: 0 });
  });

  it('takes the second run of a failed file for the first, and nothing else', () => {
    const again = (counts: object, file: object, second: object) =>
      withModule('tally.mjs', 'return lib.countAgain(input.counts, input.file, input.second)', { counts, file, second });
    const tests = ['passed', 'failed', 'failed', 'pending'].map((status) => ({ status }));
    const counts = { passed: 10, failed: 3, skipped: 4 };
    expect(again(counts, { assertionResults: tests }, { passed: 3, failed: 0, skipped: 1 })).toEqual({
      passed: 12,
      failed: 1,
      skipped: 4,
    });
    expect(again(counts, { assertionResults: tests }, { passed: 2, failed: 1, skipped: 1 })).toMatchObject({ failed: 2 });
    // A file that could not be loaded has no tests.
    expect(again(counts, { assertionResults: [] }, { passed: 5, failed: 0, skipped: 0 })).toMatchObject({
      passed: 15,
      failed: 2,
    });
    expect(again(counts, { assertionResults: [] }, { passed: 0, failed: 1, skipped: 0 })).toEqual(counts);
  });

  it('ends in one line, which names skips only if there are any', () => {
    const line = (counts: object) => withModule('tally.mjs', 'return lib.totalLines(input)', counts);
    expect(line({ passed: 3, failed: 0, skipped: 0 })).toBe('3 passed, 0 failed');
    expect(line({ passed: 3, failed: 1, skipped: 2 })).toBe(
      '2 skipped: what they need stands in their names\n3 passed, 1 failed',
    );
  });
});
