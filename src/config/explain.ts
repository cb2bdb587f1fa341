/** What is set, and from where: for people who look for the reason of what a process does. Secrets are never shown. */
import { loadClientConnectConfig } from '@temporalio/envconfig';
import { readDevState } from '../devserver/state-file';
import { similarity } from '../shared/similar';
import { withoutPassword } from '../shared/without-password';
import { isSetting, readFiles } from './files';
import { GROUPS, readVariable, VARIABLES, type Variable } from './variables';

export interface SettingView {
  name: string;
  group: string;
  /** As it is written; null where nothing is set and no value stands for it, and of secrets. */
  value: string | null;
  /** `stack`: of the embedded stack that runs here; `profile`: of Temporal's own file. */
  source: 'environment' | 'file' | 'profile' | 'stack' | 'default';
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

/** All settings, by group. @throws ConfigError where a file that is named cannot be read */
export function explainSettings(given: NodeJS.ProcessEnv): SettingView[] {
  const { env, fromFiles } = readFiles(given);
  const ours = Object.entries(GROUPS).flatMap(([group, settings]) =>
    Object.keys(settings).map((name) => ({ group, ...explain(name as Variable, env, fromFiles, given) })),
  );
  return [...ours, ...temporalSettings(env, fromFiles, given)];
}

function explain(
  name: Variable,
  env: NodeJS.ProcessEnv,
  fromFiles: ReadonlySet<string>,
  given: NodeJS.ProcessEnv,
): Omit<SettingView, 'group'> {
  const {
    secret = false,
    default: otherwise = null,
    unset,
  } = { secret: undefined, default: undefined, unset: undefined, ...VARIABLES[name] };
  const file = fromFiles.has(name) ? given[`${name}_FILE`]! : null;
  const text = env[name];
  if (!text)
    return { name, value: otherwise, source: 'default', ...(unset === undefined ? {} : { unset: unset.replaceAll('`', '') }) };
  // What stands in a file is mostly a secret.
  if (file !== null) return { name, value: null, source: 'file', file, secret: true };
  return secret
    ? { name, value: null, source: 'environment', secret }
    : { name, value: withoutPassword(text), source: 'environment' };
}

/** As `loadConfig` chooses them. */
function temporalSettings(env: NodeJS.ProcessEnv, fromFiles: ReadonlySet<string>, given: NodeJS.ProcessEnv): SettingView[] {
  const group = 'Temporal';
  const overrideEnvVars = Object.fromEntries(
    Object.entries(env).flatMap(([name, text]) => (text === undefined ? [] : [[name, text]])),
  );
  const { connectionOptions, namespace } = loadClientConnectConfig({ overrideEnvVars });
  const running = readDevState(readVariable(env, 'HOLDFAST_HOME', fromFiles.has('HOLDFAST_HOME')));
  const one = (name: string, loaded: string | undefined, stack: string | undefined, otherwise: string): SettingView => {
    if (env[name]) return { name, group, value: env[name], source: 'environment' };
    if (loaded !== undefined) return { name, group, value: loaded, source: 'profile' };
    if (stack !== undefined) return { name, group, value: stack, source: 'stack' };
    return { name, group, value: otherwise, source: 'default' };
  };
  const key: Omit<SettingView, 'source'> = { name: 'TEMPORAL_API_KEY', group, value: null };
  const file = given.TEMPORAL_API_KEY_FILE;
  return [
    one('TEMPORAL_ADDRESS', connectionOptions.address, running?.address, '127.0.0.1:7233'),
    one('TEMPORAL_NAMESPACE', namespace, running?.namespace, 'default'),
    file
      ? { ...key, source: 'file', file, secret: true }
      : env.TEMPORAL_API_KEY
        ? { ...key, source: 'environment', secret: true }
        : { ...key, source: 'default' },
  ];
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
