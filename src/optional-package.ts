/**
 * Packages that single features need (PostgreSQL, mail, MCP, …). They are optional peers of this package: a user installs those of
 * the features that he uses, and each is loaded when it is first used.
 */
import { createRequire } from 'node:module';
import { manifest } from './version';

const load = createRequire(__filename);

export class PackageMissing extends Error {
  override readonly name = 'PackageMissing';

  /** @param feature as the subject of a sentence: `PostgreSQL` */
  constructor(
    readonly packageName: string,
    feature: string,
  ) {
    super(`${feature} needs the package ${packageName}, which is not installed: ${installCommand(packageName)}`);
  }
}

/**
 * @param path what to load of the package, when that is not its main module: `client/index.js`
 * @throws PackageMissing with the command that installs it
 * @example optionalPackage<typeof import('pg')>('pg', 'PostgreSQL')
 */
export function optionalPackage<M>(name: string, feature: string, path?: string): M {
  return orMissing(name, feature, () => load(path === undefined ? name : `${name}/${path}`) as M);
}

/** For a program that starts: a missing package is said then, not when it is first used. @throws PackageMissing */
export function checkPackage(name: string, feature: string, path?: string): void {
  orMissing(name, feature, () => load.resolve(path === undefined ? name : `${name}/${path}`));
}

/** As `optionalPackage`, for what a program can do without. Null: it is not installed. */
export function findPackage<M>(name: string): M | null {
  try {
    return load(name) as M;
  } catch (error) {
    if (isMissing(error, name)) return null;
    throw error;
  }
}

/** `npm install pg@^8.23.1`, with the version that this package was tested with. */
export function installCommand(name: string): string {
  const range = manifest.peerDependencies[name];
  return `npm install ${name}${range === undefined ? '' : `@${range}`}`;
}

function orMissing<T>(name: string, feature: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (isMissing(error, name)) throw new PackageMissing(name, feature);
    throw error;
  }
}

/** A package that is there and lacks a dependency of its own is another fault. */
function isMissing(error: unknown, name: string): boolean {
  const { code, message } = error as NodeJS.ErrnoException;
  return code === 'MODULE_NOT_FOUND' && message.includes(`'${name}`);
}
