/** Tests as pages of docs/ name them: `test/a/b.test.ts` › “exact title”, or several titles after one file. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const ROOT = join(__dirname, '../..');

export interface NamedTest {
  file: string;
  title: string;
}

export function pageOf(name: string): string {
  return readFileSync(join(ROOT, 'docs', name), 'utf8');
}

export function namedTests(text: string): NamedTest[] {
  return [...text.matchAll(/`(test\/[^`]+\.test\.ts)`((?:,? › “[^”]+”)+)/g)].flatMap(([, file, titles]) =>
    [...titles!.matchAll(/“([^”]+)”/g)].map(([, title]) => ({ file: file!, title: title! })),
  );
}

/** Those of which file or title is not there. */
export function missing(tests: readonly NamedTest[]): NamedTest[] {
  return tests.filter(({ file, title }) => !holds(file, title));
}

/** The title as it stands in the test's source, whichever quotes it has there. */
function holds(file: string, title: string): boolean {
  const path = join(ROOT, file);
  return existsSync(path) && readFileSync(path, 'utf8').replaceAll("\\'", "'").includes(title);
}
