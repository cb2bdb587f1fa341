/** Each file and folder that AGENTS.md names exists, so that no newcomer looks for a renamed file. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../support/named-tests';

/** Paths are relative to the checkout, or to the folder of the sources or of the tests; some go without their ending. */
const FOLDERS = ['', 'src', 'test'];
const ENDINGS = ['', '.ts', '.test.ts'];
/** Made by a build or a run; an entry of the package; beside the checkout. */
const NO_SOURCE = /^(?:dist|\.holdfast|node_modules|holdfast|\.\.)\//;

/** `a/{b,c}.ts` → `a/b.ts`, `a/c.ts`. */
function expand(path: string): string[] {
  const [braces, inside] = /\{([^{}]*)\}/.exec(path) ?? [];
  return braces === undefined ? [path] : inside!.split(',').flatMap((one) => expand(path.replace(braces, one)));
}

const text = readFileSync(join(ROOT, 'AGENTS.md'), 'utf8');
const named = [...text.matchAll(/`([\w./{},-]+)`/g)].map(([, path]) => path!);
const paths = named.filter((path) => path.includes('/') && !NO_SOURCE.test(path)).flatMap(expand);
const exists = (path: string) =>
  FOLDERS.some((folder) => ENDINGS.some((ending) => existsSync(join(ROOT, folder, `${path}${ending}`))));

it('there are many', () => {
  expect(paths.length).toBeGreaterThan(100);
});

it('all of them exist', () => {
  expect(paths.filter((path) => !exists(path))).toEqual([]);
});
