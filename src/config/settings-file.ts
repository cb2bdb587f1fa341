/**
 * `holdfast.config.ts`: applies settings from a module of the user's, under the names of the variables. The environment overrides
 * the module, so that a deployment can differ from the file without changing it. Only the command line reads the file: code that
 * starts a worker or a client passes settings itself.
 */
import { isJsonObject } from '../shared/json/json';
import { ConfigError } from './error';
import { isSetting, nearestSetting } from './files';
import { isTemporalVariable, type TemporalVariable, type Variable } from './variables';

type Name = Variable | `${Variable}_FILE` | TemporalVariable | 'TEMPORAL_API_KEY_FILE';

/** What the module's default export must be. */
export type HoldfastConfig = { readonly [N in Name]?: string | number | boolean | undefined };

/** A settings file that this process has read. */
export interface SettingsFile {
  path: string;
  /** The settings that came from it. */
  names: ReadonlySet<string>;
}

/**
 * Sets in `env` each setting of the module that the environment does not set.
 * @param moduleExport the module as it was loaded
 * @throws ConfigError for an unknown name, and for a value that is no text, number or boolean
 */
export function applySettings(path: string, moduleExport: unknown, env: NodeJS.ProcessEnv): SettingsFile {
  const names = new Set<string>();
  for (const [name, value] of Object.entries(settingsOf(path, moduleExport))) {
    if (!isKnown(name)) {
      const nearest = nearestSetting(name);
      throw new ConfigError(`${path} sets ${name}, which is no setting${nearest === null ? '.' : `; is it ${nearest}?`}`);
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
function settingsOf(path: string, moduleExport: unknown): object {
  let value = moduleExport;
  while (isJsonObject(value) && isJsonObject(value.default)) value = value.default;
  if (isJsonObject(value) && value !== moduleExport) return value;
  if (isJsonObject(value) && Object.keys(value).some(isKnown)) return value; // `module.exports = {…}`
  throw new ConfigError(`${path} has no default export with settings, such as { HOLDFAST_TASK_QUEUE: 'payments' }.`);
}

function isKnown(name: string): boolean {
  return isSetting(name) || isTemporalVariable(name);
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'a list' : typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
