/**
 * `holdfast.config.ts`: settings as a module of the user's, under the names of the variables. The environment counts more, so that
 * a deployment can differ from the file without changing it. Only the command line reads the file: code that starts a worker or a
 * client passes settings itself.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from './error';
import { isSetting } from './files';
import { nearestSetting } from './unknown';
import { TEMPORAL_VARIABLES, type Variable } from './variables';

type Name = Variable | (typeof TEMPORAL_VARIABLES)[number];

/** What the module's default export must be. */
export type HoldfastConfig = { readonly [N in Name | `${Name}_FILE`]?: string | number | boolean | undefined };

/** A settings file that this process has read. */
export interface SettingsFile {
  path: string;
  /** The settings that came from it. */
  names: ReadonlySet<string>;
}

const NAMES = ['ts', 'mts', 'cts', 'js', 'mjs', 'cjs'].map((extension) => `holdfast.config.${extension}`);

/**
 * @param named the value of HOLDFAST_CONFIG
 * @param folders where a file is looked for if none is named, in this order
 * @returns its path; null: there is none
 */
export function findSettingsFile(named: string | undefined, folders: string[]): string | null {
  if (named === 'off') return null;
  if (named) return named;
  const paths = folders.flatMap((folder) => NAMES.map((name) => join(folder, name)));
  return paths.find((path) => existsSync(path)) ?? null;
}

/**
 * Sets in `env` what the module says and the environment does not.
 * @param exported the module as it was loaded
 * @throws ConfigError for a name that is no setting, and for a value that is no text, number or boolean
 */
export function applySettings(path: string, exported: unknown, env: NodeJS.ProcessEnv): SettingsFile {
  const names = new Set<string>();
  for (const [name, value] of Object.entries(settingsOf(path, exported))) {
    if (!isKnown(name)) {
      const meant = nearestSetting(name);
      throw new ConfigError(`${path} sets ${name}, which is no setting${meant === null ? '.' : `; is it ${meant}?`}`);
    }
    if (value === undefined) continue;
    if (!['string', 'number', 'boolean'].includes(typeof value))
      throw new ConfigError(`${path} sets ${name} to ${kindOf(value)}; it must be a string, a number or a boolean.`);
    const base = name.replace(/_FILE$/, '');
    if (env[base] || env[`${base}_FILE`]) continue;
    env[name] = String(value);
    names.add(base);
  }
  return { path, names };
}

/** The default export; a CommonJS module that was compiled from ESM nests it once more. */
function settingsOf(path: string, exported: unknown): object {
  let value = exported;
  while (isRecord(value) && isRecord(value.default)) value = value.default;
  if (isRecord(value) && value !== exported) return value;
  if (isRecord(value) && Object.keys(value).some(isKnown)) return value; // `module.exports = {…}`
  throw new ConfigError(`${path} has no default export with settings, such as { HOLDFAST_TASK_QUEUE: 'payments' }.`);
}

function isKnown(name: string): boolean {
  return isSetting(name) || TEMPORAL_VARIABLES.some((known) => known === name);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'a list' : typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
