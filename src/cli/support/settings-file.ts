/**
 * Reads the settings module, `holdfast.config.ts`, before a command runs. The code that checks settings is loaded only if there is
 * such a module.
 */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ConfigError } from '../../config/error';
import type { SettingsFile } from '../../config/settings-file';

const NAMES = ['ts', 'mts', 'cts', 'js', 'mjs', 'cjs'].map((extension) => `holdfast.config.${extension}`);

let read: SettingsFile | null = null;

/** The settings module that this process has read; null: none. */
export function settingsFile(): SettingsFile | null {
  return read;
}

/**
 * Sets in the environment what `holdfast.config.ts` exports: the file beside the app, else the one in the working directory.
 * @param app file of the app, if the command names one
 * @throws ConfigError when it cannot be loaded, or sets an unknown setting
 */
export async function readSettingsFile(app: string | undefined): Promise<void> {
  const path = findSettingsFile(process.env.HOLDFAST_CONFIG, [...(app === undefined ? [] : [dirname(app)]), '.']);
  if (path === null) return;
  const { loadModule } = await import('../../agents/load-module.js');
  const settings = await loadModule(path).catch((error: Error) => {
    throw new ConfigError(error.message);
  });
  const { applySettings } = await import('../../config/settings-file.js');
  read = applySettings(path, settings, process.env);
}

/**
 * @param file the value of HOLDFAST_CONFIG
 * @param folders to search if none is named, in this order
 * @returns its path; null: there is none
 */
export function findSettingsFile(file: string | undefined, folders: string[]): string | null {
  if (file === 'off') return null;
  if (file) return file;
  const paths = folders.flatMap((folder) => NAMES.map((name) => join(folder, name)));
  return paths.find((path) => existsSync(path)) ?? null;
}
