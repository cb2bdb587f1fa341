/**
 * Lists every setting with its value and source, for people who want to know why a process does something. Secrets are never shown.
 */
import { readDevState } from '../devserver/state-file';
import { withoutPassword } from '../shared/text/secrets';
import { readFiles } from './files';
import type { SettingsFile } from './settings-file';
import { temporalPlace, type SourcedSetting } from './temporal';
import { GROUPS, isSecretOfTemporal, isTemporalVariable, readVariable, type Setting } from './variables';

export interface SettingView {
  name: string;
  group: string;
  /** As it is written; null for secrets, and if nothing is set and there is no default. */
  value: string | null;
  source: SourcedSetting['source'] | 'file' | 'config';
  /** Path of the file that sets it: one that NAME_FILE names, or the settings module. */
  file?: string;
  /** It is set, and not shown. */
  secret?: true;
  /** What applies instead, in words. */
  unset?: string;
}

/** The environment with the values from files, and the path of each such file. */
interface SettingSources {
  env: NodeJS.ProcessEnv;
  files: Readonly<Record<string, string>>;
  /** The settings module, and the variables that it has set in the environment. */
  settingsFile: SettingsFile | null;
}

/**
 * All settings, by group.
 * @param settingsFile the settings module, if one was read
 * @throws ConfigError if a named file, or Temporal's profiles, cannot be read
 */
export function explainSettings(environment: NodeJS.ProcessEnv, settingsFile: SettingsFile | null = null): SettingView[] {
  const { env, fromFiles } = readFiles(environment);
  const files = Object.fromEntries([...fromFiles].map((name) => [name, environment[`${name}_FILE`]!]));
  const ours = Object.entries(GROUPS).flatMap(([group, settings]) =>
    Object.entries(settings).map(([name, setting]) => ({ group, ...explain(name, setting, { env, files, settingsFile }) })),
  );
  const running = readDevState(readVariable(env, 'HOLDFAST_HOME', fromFiles.has('HOLDFAST_HOME')));
  const { address, namespace, connectionOptions } = temporalPlace(env, running);
  const group = 'Temporal';
  const inProfile = !env.TEMPORAL_API_KEY && connectionOptions.apiKey !== undefined;
  const key = inProfile ? ({ source: 'profile', secret: true } as const) : {};
  const others = Object.keys(env)
    .filter(isTemporalVariable)
    .filter((name) => env[name] && !TEMPORAL_BASICS.includes(name));
  return [
    ...ours,
    { group, name: 'TEMPORAL_ADDRESS', ...address, ...from(settingsFile, 'TEMPORAL_ADDRESS') },
    { group, name: 'TEMPORAL_NAMESPACE', ...namespace, ...from(settingsFile, 'TEMPORAL_NAMESPACE') },
    { group, ...explain('TEMPORAL_API_KEY', { secret: true }, { env, files, settingsFile }), ...key },
    ...others.sort().map((name) => ({
      group,
      ...explain(name, isSecretOfTemporal(name) ? { secret: true } : {}, { env, files, settingsFile }),
    })),
  ];
}

const TEMPORAL_BASICS = ['TEMPORAL_ADDRESS', 'TEMPORAL_NAMESPACE', 'TEMPORAL_API_KEY'];

type SettingInfo = Pick<Setting, 'secret' | 'default' | 'unset'>;

function explain(
  name: string,
  { secret, default: otherwise, unset }: SettingInfo,
  { env, files, settingsFile }: SettingSources,
): Omit<SettingView, 'group'> {
  const [text, file] = [env[name], files[name]];
  if (!text) {
    const words = unset === undefined ? {} : { unset: unset.replaceAll('`', '') };
    return { name, value: otherwise ?? null, source: 'default', ...words };
  }
  // The content of a file is mostly a secret.
  if (file !== undefined) return { name, value: null, source: 'file', file, secret: true };
  const source = { source: 'environment' as const, ...from(settingsFile, name) };
  return secret ? { name, value: null, ...source, secret } : { name, value: withoutPassword(text), ...source };
}

function from(settingsFile: SettingsFile | null, name: string): { source: 'config'; file: string } | null {
  return settingsFile?.names.has(name) ? { source: 'config', file: settingsFile.path } : null;
}

// Renders the reference of settings, `docs/configuration.md`, from the table.

const HEAD = `# Configuration

Settings are environment variables. \`holdfast config\` prints all of them, with what is set and from where; \`--set\` only those that are; secrets are
not shown. This page is its \`--markdown\`.

Each variable may be given as \`NAME_FILE\` instead: the file's trimmed content is the value, as containers and secret stores pass it
([deployment.md](deployment.md)); \`TEMPORAL_API_KEY\` too. A value that cannot be used stops the process with one line that says what it must be. A secret is never
repeated in an error.

## A file of settings

The command line also reads \`holdfast.config.ts\` (or .mts, .cts, .js, .mjs, .cjs): the one beside the file that \`--app\` names, else the one in the working
directory, or what \`HOLDFAST_CONFIG\` names. Its default export has settings under the names of the variables; the environment counts more. \`holdfast config\`
says which come from it.

\`\`\`ts
import type { HoldfastConfig } from 'holdfast';

export default {
  HOLDFAST_TASK_QUEUE: 'payments',
  HOLDFAST_HTTP_PORT: 9000,
  HOLDFAST_SMTP_PASS_FILE: '/run/secrets/smtp-password',
} satisfies HoldfastConfig;
\`\`\`

Relative paths in it count from the working directory, as those in variables do. \`createWorker\` and \`HoldfastClient.connect\` do not read it: code passes
settings itself.

## Temporal

| variable | without it | |
|---|---|---|
| \`TEMPORAL_ADDRESS\` | the stack that runs here, else \`127.0.0.1:7233\` | The server, HOST:PORT. |
| \`TEMPORAL_NAMESPACE\` | that of the stack that runs here, else \`default\` | |
| \`TEMPORAL_API_KEY\` | that of the profile | Secret. |
| \`TEMPORAL_PROFILE\`, \`TEMPORAL_CONFIG_FILE\` | \`default\`, in Temporal's own place | The profile, and the file of profiles. |
| \`TEMPORAL_TLS\`, \`TEMPORAL_TLS_…\` | those of the profile; TLS with an API key | \`SERVER_NAME\`; \`SERVER_CA_CERT\`, \`CLIENT_CERT\` and \`CLIENT_KEY\`, each with \`_PATH\` or \`_DATA\`. |
| \`TEMPORAL_GRPC_META_NAME\` | those of the profile | A header of each request. |

Temporal's own reader takes these, as its other tools do. \`holdfast.config.ts\` may set them too; \`holdfast config\` shows those that are set, without keys, data of certificates and headers.
`;

/** The page as Markdown. */
export function configurationPage(): string {
  const groups = Object.entries(GROUPS).map(([title, settings]) => {
    const rows = Object.entries(settings).map(
      ([name, { default: value, unset = '', about, secret, allowed }]) =>
        `| \`${name}\` | ${cell(value === undefined ? unset : `\`${value}\``)} | ${cell(about)} | ${cell(allowed)}${secret ? '; secret' : ''} |`,
    );
    const details = Object.entries(settings).flatMap(([name, { details: text }]) =>
      text === undefined ? [] : [`- **\`${name}\`.** ${text}`],
    );
    const table = `| variable | without it | what it is for | what it must be |\n|---|---|---|---|\n${rows.join('\n')}\n`;
    return `## ${title}\n\n${table}${details.length === 0 ? '' : `\n${details.join('\n')}\n`}`;
  });
  return [HEAD, ...groups].join('\n');
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}
