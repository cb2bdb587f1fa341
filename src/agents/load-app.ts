/** The app that a worker serves: a file of the user's, or the agents that ship. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { App } from './define';

/**
 * Loads the default export of a TypeScript or JavaScript module.
 * @throws Error that says what is wrong with the file
 */
export async function loadApp(file: string): Promise<App> {
  const path = resolve(file);
  if (!existsSync(path)) throw new Error(`There is no app file ${file}. Give the path of a module whose default export is defineApp({…}).`);
  const { tsImport } = await import('tsx/esm/api');
  const module: unknown = await tsImport(pathToFileURL(path).href, pathToFileURL(__filename).href);
  const app = defaultExport(module);
  if (!app) throw new Error(`${file} has no default export made by defineApp({ agents: […] }).`);
  return app;
}

/** A CommonJS module that was compiled from ESM nests its default export once more. */
function defaultExport(module: unknown): App | null {
  for (let value = module; typeof value === 'object' && value !== null; value = (value as { default?: unknown }).default) {
    if (Array.isArray((value as Partial<App>).agents)) return value as App;
  }
  return null;
}
