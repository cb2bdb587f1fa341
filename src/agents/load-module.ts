/** Loads the user's modules: TypeScript or JavaScript, ES module or CommonJS, without a build. */
import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import Module from 'node:module';
import { dirname, extname, join, resolve, sep } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Imports a TypeScript or JavaScript file. @throws Error with the line of that file that threw */
export async function loadModule(file: string): Promise<unknown> {
  const path = resolve(file);
  try {
    return isCommonJs(path) ? await requireCommonJs(path) : await importEsm(path);
  } catch (error) {
    throw new Error(`${file} cannot be loaded: ${whatAndWhere(error)}`, { cause: error });
  }
}

async function importEsm(path: string): Promise<unknown> {
  const { tsImport } = await import('tsx/esm/api');
  return tsImport(pathToFileURL(path).href, pathToFileURL(__filename).href);
}

/**
 * tsx turns an imported CommonJS file into a `data:` URL: its exceptions then name no line of the user's file, and its later
 * imports fail. So the file is required instead, in a namespace of its own, which loads it anew each time.
 */
async function requireCommonJs(path: string): Promise<unknown> {
  const { register } = await import('tsx/cjs/api');
  const tsx = register({ namespace: randomUUID() });
  sharePackages();
  return tsx.require(path, __filename);
}

/**
 * tsx loads everything that a file in a namespace requires anew, packages too: the app would have an engine of its own beside the one
 * that serves it, and a worker would take twice as long to start. So CommonJS packages are Node's to load, once. Call it after each
 * `register`, which puts its own function before the one that it finds.
 */
function sharePackages(): void {
  const module = Module as unknown as { _resolveFilename(name: string, ...more: unknown[]): string };
  const resolveName = module._resolveFilename;
  module._resolveFilename = (name, ...more) => {
    const resolvedPath = resolveName.call(module, name, ...more);
    const query = resolvedPath.indexOf('?namespace=');
    if (query < 0) return resolvedPath;
    const file = resolvedPath.slice(0, query);
    return /\.c?js$/.test(file) && isCommonJs(file) && isOfPackage(file, name) ? file : resolvedPath;
  };
}

/** Whether a file is of a package that is installed, or of one that was imported by its name, as another workspace of a project. */
function isOfPackage(file: string, specifier: string): boolean {
  if (file.includes(`${sep}node_modules${sep}`)) return true;
  const [name] = /^(?:@[^/]+\/)?[^./][^/]*/.exec(specifier) ?? [];
  return name !== undefined && manifestOf(dirname(file)).name === name;
}

/** As Node decides: by the extension, else by the `type` of the nearest package.json. */
function isCommonJs(path: string): boolean {
  const extension = extname(path);
  if (extension.startsWith('.m')) return false;
  return extension.startsWith('.c') || manifestOf(dirname(path)).type !== 'module';
}

/** The nearest package.json. */
function manifestOf(folder: string): { name?: unknown; type?: unknown } {
  const path = join(folder, 'package.json');
  if (existsSync(path)) return JSON.parse(readFileSync(path, 'utf8')) as { name?: unknown; type?: unknown };
  return dirname(folder) === folder ? {} : manifestOf(dirname(folder));
}

/** The message, and the line of the user's code that threw. */
function whatAndWhere(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const lines = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));
  // tsx gives `data:` URLs to CommonJS files that an ES module imports: their lines are not the user's.
  const where = lines.find((line) => !/node:|node_modules|data:/.test(line) && !line.includes(dirname(__dirname)));
  return where ? `${error.message}\n${where}` : error.message;
}
