/** docs/commands.md, made of the commands themselves: `npx tsx src/cli/support/commands-page.ts > docs/commands.md`. */
import type { Command } from 'commander';
import { commandLine } from '../commands';

/** Pages of docs/ that say more, by the command's name. */
const PAGES: { readonly [command: string]: string } = {
  approve: 'approvals.md',
  answer: 'questions.md',
  audit: 'audit.md',
  'audit export': 'export.md',
  'audit redact': 'redaction.md',
  'audit replay': 'replay.md',
  'audit report': 'report.md',
  'audit retain': 'retention.md',
  'audit sweep': 'retention.md',
  'audit verify': 'bundle-format.md',
  'audit what-if': 'what-if.md',
  budgets: 'budgets.md',
  call: 'direct-calls.md',
  chat: 'sessions.md',
  codec: 'encryption.md',
  config: 'configuration.md',
  deny: 'approvals.md',
  deputies: 'approvals.md',
  doctor: 'operations.md',
  eval: 'evals.md',
  fork: 'sessions.md',
  gateway: 'http.md',
  incident: 'report.md',
  keys: 'approvals.md',
  'keys rotate': 'encryption.md',
  mcp: 'mcp.md',
  'mcp serve': 'mcp-server.md',
  pending: 'inbox.md',
  proxy: 'operations.md',
  run: 'showcase.md',
  schedule: 'schedules.md',
  sessions: 'sessions.md',
  settle: 'effects.md',
  sign: 'approvals.md',
  'sign-in': 'http.md',
  steer: 'approvals.md',
  store: 'retention.md',
  'store collect': 'retention.md',
  tools: 'tools.md',
  trail: 'trail.md',
  witness: 'witness.md',
  worker: 'operations.md',
};

const HEAD = `# Commands

For people at a terminal: every command, with its options. \`npx holdfast COMMAND --help\` prints the same. With \`--json\` a command answers for programs.
Exit codes: 0 done, 1 failed, 2 bad usage, 3 refused. This page is made by \`npx tsx src/cli/support/commands-page.ts\`.
`;

export async function commandsPage(): Promise<string> {
  const program = await commandLine(() => true);
  const parts = program.commands.flatMap((command) => [
    section(command, ''),
    ...command.commands.map((one) => section(one, `${command.name()} `)),
  ]);
  return [HEAD, ...parts].join('\n');
}

function section(command: Command, group: string): string {
  const name = `${group}${command.name()}`;
  const page = PAGES[name] === undefined ? '' : ` More: [${PAGES[name]}](${PAGES[name]}).`;
  const about = `${command.description()}${page}`;
  const title = `##${group === '' ? '' : '#'} ${name}`;
  if (command.commands.length > 0) return `${title}\n\n${about}\n`;
  const rows = [
    ...command.registeredArguments
      .filter(({ description }) => description !== '')
      .map((one) => row(one.required ? `<${one.name()}>` : `[${one.name()}]`, one.description)),
    ...command.options
      .filter(({ long, hidden }) => long !== '--json' && !hidden)
      .map(({ flags, description, defaultValue, defaultValueDescription, argChoices }) =>
        row(flags, `${description}${choicesOf(argChoices)}${defaultOf(defaultValue, defaultValueDescription)}`),
      ),
  ];
  const table = rows.length === 0 ? '' : `\n| argument or option | |\n|---|---|\n${rows.join('\n')}\n`;
  return `${title}\n\n\`\`\`\nholdfast ${name} ${command.usage()}\n\`\`\`\n\n${about}\n${table}`;
}

function row(name: string, text: string): string {
  return `| \`${cell(name)}\` | ${cell(text).replaceAll('<', '&lt;')} |`;
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ');
}

function choicesOf(choices: readonly string[] | undefined): string {
  return choices === undefined ? '' : ` (${choices.join(', ')})`;
}

/** @param words in place of a value that differs from machine to machine */
function defaultOf(value: unknown, words: string | undefined): string {
  return value === undefined || value === false || (Array.isArray(value) && value.length === 0)
    ? ''
    : ` Default: ${words ?? JSON.stringify(value)}.`;
}

if (require.main === module) void commandsPage().then((page) => process.stdout.write(page));
