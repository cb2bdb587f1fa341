import { withModule } from './support/run-module';

const count = (code: number, summary: object | null) =>
  withModule('tally.mjs', 'return lib.countJest(input.code, input.summary)', { code, summary });
const summary = {
  ...{ numTotalTestSuites: 1, testResults: [{}] },
  ...{ numPassedTests: 5, numFailedTests: 0, numRuntimeErrorTestSuites: 0, numPendingTests: 0, numTodoTests: 0 },
};

describe('the count of npm test', () => {
  it('is the count of Jest', () => {
    expect(count(0, summary)).toEqual({ passed: 5, failed: 0, skipped: 0 });
    expect(count(1, { ...summary, numFailedTests: 2, numPendingTests: 1 })).toEqual({ passed: 5, failed: 2, skipped: 1 });
  });

  it('counts a crash without a summary as a failure', () => {
    expect(count(0, null)).toEqual({ passed: 0, failed: 1, skipped: 0 });
  });

  it('counts a file that could not be loaded, and an exit code without a failed test', () => {
    expect(count(1, { ...summary, numRuntimeErrorTestSuites: 1 })).toMatchObject({ failed: 1 });
    expect(count(1, summary)).toMatchObject({ failed: 1 });
  });

  it('counts a file that was not run, because Jest was interrupted, as a failure', () => {
    expect(count(0, { ...summary, numTotalTestSuites: 3 })).toEqual({ passed: 5, failed: 2, skipped: 0 });
  });

  it('names each failed test by its file and title, and a file that could not be loaded', () => {
    const file = (name: string, status: string, ...tests: [string, string][]) => ({
      ...{ name: `/r/test/${name}`, status },
      assertionResults: tests.map(([fullName, result]) => ({ fullName, status: result })),
    });
    const testResults = [
      file('a.test.ts', 'passed', ['is well', 'passed']),
      file('b.test.ts', 'failed', ['is well', 'passed'], ['is ill', 'failed']),
      file('c.test.ts', 'failed'),
    ];
    expect(withModule('tally.mjs', "return lib.failedTests(input, '/r')", { testResults })).toEqual([
      { file: 'test/b.test.ts', title: 'is ill' },
      { file: 'test/c.test.ts', title: '(the file)' },
    ]);
    expect(withModule('tally.mjs', "return lib.failedTests(null, '/r')", {})).toEqual([]);
  });

  it('names unstable tests in the last lines, and counts them as failed', () => {
    const failures = [
      { file: 'test/a.test.ts', title: 'passes alone', unstable: true },
      { file: 'test/b.test.ts', title: 'fails alone too', unstable: false },
    ];
    const input = { counts: { passed: 3, failed: 2, skipped: 0 }, failures };
    expect(withModule('tally.mjs', 'return lib.totalLines(input.counts, input.failures)', input)).toBe(
      'unstable: test/a.test.ts › passes alone\n3 passed, 2 failed',
    );
  });

  it('ends in one line, which names skips only if there are any', () => {
    const line = (counts: object) => withModule('tally.mjs', 'return lib.totalLines(input)', counts);
    expect(line({ passed: 3, failed: 0, skipped: 0 })).toBe('3 passed, 0 failed');
    expect(line({ passed: 3, failed: 1, skipped: 2 })).toBe('2 skipped: their names say what they need\n3 passed, 1 failed');
  });
});
