/** What is set, and from where: for people who look for the reason of what a process does. Secrets are never shown. */
import { readDevState } from '../devserver/state-file';
import { similarity } from '../shared/similar';
import { withoutPassword } from '../shared/without-password';
import { isSetting, readFiles } from './files';
import { temporalPlace, type Chosen } from './temporal';
import { GROUPS, readVariable, VARIABLES, type Setting } from './variables';

export interface SettingView {
  name: string;
  group: string;
  /** As it is written; null where nothing is set and no value stands for it, and of secrets. */
  value: string | null;
  source: Chosen['source'] | 'file';
  /** The path of the file that has it. */
  file?: string;
  /** It is set, and not shown. */
  secret?: true;
  /** What holds instead, in words. */
  unset?: string;
}

export interface UnknownSetting {
  name: string;
  /** The setting that may be meant. */
  meant: string | null;
}

/** All of ours begin alike: below it two names have no more in common than that. */
const ALIKE = 0.75;

/** The environment, with what files hold of it, and which file each of those is. */
interface Given {
  env: NodeJS.ProcessEnv;
  files: Readonly<Record<string, string>>;
}

/** All settings, by group. @throws ConfigError where a file that is named cannot be read, or Temporal's profiles cannot */
export function explainSettings(given: NodeJS.ProcessEnv): SettingView[] {
  const { env, fromFiles } = readFiles(given);
  const files = Object.fromEntries([...fromFiles].map((name) => [name, given[`${name}_FILE`]!]));
  const ours = Object.entries(GROUPS).flatMap(([group, settings]) =>
    Object.entries(settings).map(([name, setting]) => ({ group, ...explain(name, setting, { env, files }) })),
  );
  const running = readDevState(readVariable(env, 'HOLDFAST_HOME', fromFiles.has('HOLDFAST_HOME')));
  const { address, namespace } = temporalPlace(env, running);
  const group = 'Temporal';
  return [
    ...ours,
    { group, name: 'TEMPORAL_ADDRESS', ...address },
    { group, name: 'TEMPORAL_NAMESPACE', ...namespace },
    { group, ...explain('TEMPORAL_API_KEY', { secret: true }, { env, files }) },
  ];
}

type Explained = Pick<Setting, 'secret' | 'default' | 'unset'>;

function explain(
  name: string,
  { secret, default: otherwise, unset }: Explained,
  { env, files }: Given,
): Omit<SettingView, 'group'> {
  const [text, file] = [env[name], files[name]];
  if (!text) {
    const words = unset === undefined ? {} : { unset: unset.replaceAll('`', '') };
    return { name, value: otherwise ?? null, source: 'default', ...words };
  }
  // What stands in a file is mostly a secret.
  if (file !== undefined) return { name, value: null, source: 'file', file, secret: true };
  if (secret) return { name, value: null, source: 'environment', secret };
  return { name, value: withoutPassword(text), source: 'environment' };
}

/** Variables that look like settings of ours, and that nothing reads: most are misspelt. */
export function unknownSettings(env: NodeJS.ProcessEnv): UnknownSetting[] {
  return Object.keys(env)
    .filter((name) => name.startsWith('HOLDFAST_') && !isSetting(name))
    .map((name) => {
      const [best] = Object.keys(VARIABLES)
        .map((known) => ({ known, alike: similarity(known, name) }))
        .sort((a, b) => b.alike - a.alike);
      return { name, meant: best && best.alike >= ALIKE ? best.known : null };
    });
}
