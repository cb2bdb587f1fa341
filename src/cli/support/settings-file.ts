/** Reads the module of settings before a command runs. */
import { dirname } from 'node:path';
import { ConfigError } from '../../config/error';
import type { SettingsFile } from '../../config/settings-file';

let read: SettingsFile | null = null;

/** The module that this process has read its settings from; null: there is none. */
export function settingsFile(): SettingsFile | null {
  return read;
}

/**
 * Sets in the environment what `holdfast.config.ts` says: the one beside the app, else the one in the working directory.
 * @param app the file of the app, where the command names one
 * @throws ConfigError when it cannot be loaded, or sets what is no setting
 */
export async function readSettingsFile(app: string | undefined): Promise<void> {
  const { findSettingsFile, applySettings } = await import('../../config/settings-file.js');
  const path = findSettingsFile(process.env.HOLDFAST_CONFIG, [...(app === undefined ? [] : [dirname(app)]), '.']);
  if (path === null) return;
  const { loadModule } = await import('../../agents/load-module.js');
  const exported = await loadModule(path).catch((error: Error) => {
    throw new ConfigError(error.message);
  });
  read = applySettings(path, exported, process.env);
}
