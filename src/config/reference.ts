/** The reference of settings, `docs/configuration.md`, made of the table. */
import { GROUPS } from './variables';

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
| \`TEMPORAL_API_KEY\`, \`TEMPORAL_TLS…\`, \`TEMPORAL_PROFILE\` | | As Temporal's own tools read them, with its file of profiles. |
`;

/** The page as Markdown. */
export function configurationPage(): string {
  const groups = Object.entries(GROUPS).map(([title, settings]) => {
    const rows = Object.entries(settings).map(
      ([name, { default: value, unset = '', about, secret, allowed }]) =>
        `| \`${name}\` | ${cell(value === undefined ? unset : `\`${value}\``)} | ${cell(about)} It must be ${cell(allowed)}.${secret ? ' Secret.' : ''} |`,
    );
    return `## ${title}\n\n| variable | without it | |\n|---|---|---|\n${rows.join('\n')}\n`;
  });
  return [HEAD, ...groups].join('\n');
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}
