/**
 * Finds the packages that are made beside the engine. They depend on it, so the engine knows only their names, and loads each when a
 * command needs it.
 */
import { createRequire } from 'node:module';
import { UsageError } from './exit';

const load = createRequire(__filename);

export function hasOwnPackage(name: string): boolean {
  // When run from source, nothing has to be built: packages of this repository resolve to their sources too.
  if (__filename.endsWith('.ts')) (load('../../../scripts/lib/sources.cjs') as { resolveSources(): void }).resolveSources();
  try {
    load.resolve(name);
    return true;
  } catch {
    return false;
  }
}

/** @param what the subject of the error's first sentence; @throws UsageError that says how to install the package */
export function needOwnPackage(name: string, what: string, otherwise = ''): void {
  if (hasOwnPackage(name)) return;
  throw new UsageError(`${what} a package of its own, which is not installed: npm install ${name}.${otherwise}`);
}

/** After `needOwnPackage`. */
export function loadOwnPackage<T>(name: string): T {
  return load(name) as T;
}
