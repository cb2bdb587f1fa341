/** The app that a worker serves: a file of the user's, or the agents that ship. */
import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { defineApp, isAgent, type App } from './define';

/**
 * Loads the default export of a TypeScript or JavaScript module.
 * @throws Error that says what is wrong with the file, and where
 */
export async function loadApp(file: string): Promise<App> {
  const path = resolve(file);
  if (!existsSync(path))
    throw new Error(`There is no app file ${file}. Give the path of a module whose default export is defineApp({…}).`);
  const app = defaultExport(await loadModule(file));
  if (!app) throw new Error(`${file} has no default export made by defineApp({ agents: […] }).`);
  if (app.agents.length === 0) throw new Error(`${file} defines an app without agents: nothing could be run.`);
  return app;
}

/** Imports a TypeScript or JavaScript file of the user's. @throws Error with the line of that file that threw */
export async function loadModule(file: string): Promise<unknown> {
  const { tsImport } = await import('tsx/esm/api');
  try {
    return await tsImport(pathToFileURL(resolve(file)).href, pathToFileURL(__filename).href);
  } catch (error) {
    throw new Error(`${file} cannot be loaded: ${whatAndWhere(error)}`, { cause: error });
  }
}

/** The message, and the line of the user's own code that threw. */
function whatAndWhere(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const lines = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));
  // `data:` is what tsx makes of a CommonJS file: its line is none of the user's.
  const where = lines.find((line) => !/node:|node_modules|data:/.test(line) && !line.includes(dirname(__dirname)));
  return where ? `${error.message}\n${where}` : error.message;
}

/** A CommonJS module that was compiled from ESM nests its default export once more. */
function defaultExport(module: unknown): App | null {
  for (let value = module; typeof value === 'object' && value !== null; value = (value as { default?: unknown }).default) {
    const { agents, tools = [], hooks, models } = value as Partial<App>;
    if (!Array.isArray(agents) || !agents.every(isAgent)) continue;
    return defineApp({ agents, tools, ...(hooks ? { hooks } : {}), ...(models ? { models } : {}) }); // however it was made
  }
  return null;
}
