/** The reference of settings, `docs/configuration.md`, made of the table. */
import { GROUPS } from './variables';

const HEAD = `# Configuration

Settings are environment variables. \`holdfast config\` prints all of them, with what is set and from where; \`--set\` only those that are; secrets are
not shown. This page is its \`--markdown\`.

Each variable may be given as \`NAME_FILE\` instead: the file's trimmed content is the value, as containers and secret stores pass it
([deployment.md](deployment.md)); \`TEMPORAL_API_KEY\` too. A value that cannot be used stops the process with one line that says what it must be. A secret is never
repeated in an error.

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
