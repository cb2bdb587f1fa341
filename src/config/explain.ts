/** What is set, and from where: for people who look for the reason of what a process does. Secrets are never shown. */
import { readDevState } from '../devserver/state-file';
import { withoutPassword } from '../shared/text/secrets';
import { readFiles } from './files';
import type { SettingsFile } from './settings-file';
import { temporalPlace, type Chosen } from './temporal';
import { GROUPS, readVariable, type Setting } from './variables';

export interface SettingView {
  name: string;
  group: string;
  /** As it is written; null where nothing is set and no value stands for it, and of secrets. */
  value: string | null;
  source: Chosen['source'] | 'file' | 'config';
  /** The path of the file that has it: one that NAME_FILE names, or the module of settings. */
  file?: string;
  /** It is set, and not shown. */
  secret?: true;
  /** What holds instead, in words. */
  unset?: string;
}

/** The environment, with what files hold of it, and which file each of those is. */
interface Given {
  env: NodeJS.ProcessEnv;
  files: Readonly<Record<string, string>>;
  /** What the module of settings has set in the environment. */
  settingsFile: SettingsFile | null;
}

/**
 * All settings, by group.
 * @param settingsFile the module of settings, where one was read
 * @throws ConfigError where a file that is named cannot be read, or Temporal's profiles cannot
 */
export function explainSettings(given: NodeJS.ProcessEnv, settingsFile: SettingsFile | null = null): SettingView[] {
  const { env, fromFiles } = readFiles(given);
  const files = Object.fromEntries([...fromFiles].map((name) => [name, given[`${name}_FILE`]!]));
  const ours = Object.entries(GROUPS).flatMap(([group, settings]) =>
    Object.entries(settings).map(([name, setting]) => ({ group, ...explain(name, setting, { env, files, settingsFile }) })),
  );
  const running = readDevState(readVariable(env, 'HOLDFAST_HOME', fromFiles.has('HOLDFAST_HOME')));
  const { address, namespace } = temporalPlace(env, running);
  const group = 'Temporal';
  return [
    ...ours,
    { group, name: 'TEMPORAL_ADDRESS', ...address, ...from(settingsFile, 'TEMPORAL_ADDRESS') },
    { group, name: 'TEMPORAL_NAMESPACE', ...namespace, ...from(settingsFile, 'TEMPORAL_NAMESPACE') },
    { group, ...explain('TEMPORAL_API_KEY', { secret: true }, { env, files, settingsFile }) },
  ];
}

type Explained = Pick<Setting, 'secret' | 'default' | 'unset'>;

function explain(
  name: string,
  { secret, default: otherwise, unset }: Explained,
  { env, files, settingsFile }: Given,
): Omit<SettingView, 'group'> {
  const [text, file] = [env[name], files[name]];
  if (!text) {
    const words = unset === undefined ? {} : { unset: unset.replaceAll('`', '') };
    return { name, value: otherwise ?? null, source: 'default', ...words };
  }
  // What stands in a file is mostly a secret.
  if (file !== undefined) return { name, value: null, source: 'file', file, secret: true };
  const source = { source: 'environment' as const, ...from(settingsFile, name) };
  return secret ? { name, value: null, ...source, secret } : { name, value: withoutPassword(text), ...source };
}

function from(settingsFile: SettingsFile | null, name: string): { source: 'config'; file: string } | null {
  return settingsFile?.names.has(name) ? { source: 'config', file: settingsFile.path } : null;
}
