/** Loads the TypeScript compiler of the project that a file belongs to: holdfast itself does not depend on one. */
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { DraftError } from './source';

export type TypeScript = typeof import('typescript');

/**
 * @param own module to search from when the file's project has none
 * @throws DraftError when there is none
 */
export function typescriptFor(file: string, own: string = __filename): TypeScript {
  for (const from of [resolve(file), own]) {
    const require = createRequire(from);
    let path: string;
    try {
      path = require.resolve('typescript');
    } catch {
      continue; // not installed there
    }
    return require(path) as TypeScript;
  }
  throw new DraftError(
    `Drafting from a function needs the package typescript in the project of ${file}: npm install -D typescript.`,
  );
}
