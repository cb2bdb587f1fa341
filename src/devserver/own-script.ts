import { existsSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Arguments for `node` that run another file of this folder: the compiled one beside us, or from source
 * (in tests) the TypeScript one.
 */
export function ownScript(name: string): string[] {
  const compiled = join(__dirname, `${name}.js`);
  if (existsSync(compiled)) return [compiled];
  return ['--require', require.resolve('tsx/cjs'), join(__dirname, `${name}.ts`)];
}
