/** Loads the app that a worker serves from the user's file. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { isAgent } from './agent';
import { defineApp, type App } from './define';
import { loadModule } from './load-module';
import { optional } from '../shared/json/optional';

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

/** A CommonJS module that was compiled from ESM nests its default export once more. */
function defaultExport(module: unknown): App | null {
  for (let value = module; typeof value === 'object' && value !== null; value = (value as { default?: unknown }).default) {
    const { agents, tools = [], hooks, models, mcp, schedules, triggers } = value as Partial<App>;
    if (!Array.isArray(agents) || !agents.every(isAgent)) continue;
    const more = optional({ hooks, models, mcp, schedules, triggers });
    return defineApp({ agents, tools, ...more }); // checked even if defineApp did not make it
  }
  return null;
}
