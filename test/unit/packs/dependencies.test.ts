/** A package declares what it imports: other installed packages would hide that one is missing. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { preProcessFile } from 'typescript';
import { ROOT } from '../../support/named-tests';

const PACKAGES = ['packs', 'packages']
  .flatMap((group) => readdirSync(join(ROOT, group)).map((name) => `${group}/${name}`))
  .filter((folder) => existsSync(join(ROOT, folder, 'src')) && !['packages/verify', 'packages/page'].includes(folder)); // one file, which requires nothing; bundled, never installed

/** The tool kit reads functions with the compiler of the user's project, and says so where there is none. */
const COMPILER = 'typescript';

it.each(['.', ...PACKAGES])('%s declares what its sources import', (folder) => {
  const { dependencies, peerDependencies, optionalDependencies } = JSON.parse(
    readFileSync(join(ROOT, folder, 'package.json'), 'utf8'),
  ) as Record<string, Record<string, string> | undefined>;
  const declared = new Set(Object.keys({ ...dependencies, ...peerDependencies, ...optionalDependencies }));
  const missing = importsIn(join(ROOT, folder, 'src')).filter(
    ({ name }) => !declared.has(name) && !(folder === 'packages/tool-kit' && name === COMPILER),
  );
  expect(missing).toEqual([]);
});

function importsIn(folder: string): { file: string; name: string }[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  return files.flatMap((file) => {
    const { importedFiles } = preProcessFile(readFileSync(join(folder, file), 'utf8'), true, true);
    const paths = importedFiles.map(({ fileName }) => fileName).filter((path) => !path.startsWith('.') && !isBuiltin(path));
    return paths.map((path) => ({ file, name: path.split('/', path.startsWith('@') ? 2 : 1).join('/') }));
  });
}
