/**
 * Loads packages that single features need (PostgreSQL, mail, MCP, …). They are optional peer dependencies: a user installs those
 * of the features in use, and each is loaded on first use.
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
 * @param path module of the package to load, if not the main one: `client/index.js`
 * @throws PackageMissing with the command that installs it
 * @example optionalPackage<typeof import('pg')>('pg', 'PostgreSQL')
 */
export function optionalPackage<M>(name: string, feature: string, path?: string): M {
  return orMissing(name, feature, () => load(path === undefined ? name : `${name}/${path}`) as M);
}

/** For the start of a program: reports a missing package at once, not on first use. @throws PackageMissing */
export function checkPackage(name: string, feature: string, path?: string): void {
  orMissing(name, feature, () => load.resolve(path === undefined ? name : `${name}/${path}`));
}

/** As `optionalPackage`, for a package that a program can do without. Null: it is not installed. */
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

/** An installed package that lacks a dependency of its own is a different fault. */
function isMissing(error: unknown, name: string): boolean {
  const { code, message } = error as NodeJS.ErrnoException;
  return code === 'MODULE_NOT_FOUND' && [`'${name}'`, `'${name}/`].some((missing) => message.includes(missing));
}
