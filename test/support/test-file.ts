/**
 * What helpers ask of the test file that uses them: to run something when its tests have ended, and the name of the test that runs.
 * Under Jest `jest/test-file.ts` answers. A script, which has no tests, calls `endTestFile` itself.
 */
const atEnd: (() => Promise<void>)[] = [];
let nameOf = (): string => '';

/** Runs `last` when all tests of the file have ended. */
export function onTestFileEnd(last: () => Promise<void>): void {
  atEnd.push(last);
}

export async function endTestFile(): Promise<void> {
  for (const last of atEnd) await last();
}

export function nameTestsBy(name: () => string): void {
  nameOf = name;
}

/** Empty in a script. */
export function testName(): string {
  return nameOf();
}
