/** Finds the scripts of this folder, compiled or as source. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Arguments for `node` that run another file of this folder: the compiled one, or the TypeScript one if this runs from source (in
 * tests).
 */
export function ownScript(name: string): string[] {
  const compiled = join(__dirname, `${name}.js`);
  if (existsSync(compiled)) return [compiled];
  return ['--require', require.resolve('tsx/cjs'), join(__dirname, `${name}.ts`)];
}
