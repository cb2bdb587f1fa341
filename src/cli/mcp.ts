/** `holdfast mcp …`: manages MCP servers whose tools agents may use, and accepts the classes of these tools. */
import { userInfo } from 'node:os';
import type { Command } from 'commander';
import { loadConfig, mcpLogins, type Config } from '../config';
import {
  acceptedPath,
  CLASSES,
  isAnswerCode,
  readAcceptedTools,
  readEntries,
  readTrustedErrors,
  serverOf,
  writeAcceptedTools,
  writeEntries,
  type ServerConfig,
  type ServerEntry,
  type TrustedErrors,
} from '../mcp';
import { getOwn } from '../shared/json/json';
import { withOAuth } from '../mcp/connection/oauth';
import { accepting, type Proposal } from '../mcp/proposal';
import { TerminalQuestions } from './support/terminal-questions';
import { several } from './support/decide-options';
import { mcpServe } from './mcp-serve';
import { shellWord } from '../shared/text/visible';
import { oneLine } from './support/describe';
import { examineServer } from './support/examine-server';
import { UsageError } from './support/exit';
import type { Output } from './support/output';
import { pairs } from './support/pairs';
import { wantedClasses } from './support/wanted-classes';
import { errorMessage } from '../shared/text/error-message';

interface Who {
  yes?: boolean;
  by?: string;
  class?: string[];
  trustError?: string[];
}

interface AddOptions extends Who {
  url?: string;
  sse?: boolean;
  header?: string[];
  env?: string[];
}

export function mcpCommands(mcp: Command, output: () => Output): void {
  mcpServe(mcp);
  decides(mcp.command('add'))
    .description('Adds a server, shows its tools with a class for each, and asks once whether these count.')
    .argument('<name>', 'lower-case; its tools are called NAME__TOOL')
    .argument('[command...]', 'the program and its arguments, after --')
    .option('--url <url>', 'a server over HTTP, instead of a program')
    .option('--sse', 'with --url: the HTTP transport of 2024')
    .option('--header <name=value>', 'sent with each request; ${VARIABLE} for secrets; may be given again', several)
    .option('--env <name=value>', 'for the program; ${VARIABLE} for secrets; may be given again', several)
    .action(async (name: string, command: string[], options: AddOptions) => {
      const config = loadConfig();
      const entries = readEntries(config.mcp);
      if (Object.hasOwn(entries, name))
        throw new UsageError(`There is a server ${name} already; \`holdfast mcp remove ${name}\` removes it.`);
      const entry = entryOf(command, options);
      const server = parseServer(name, entry);
      const proposals = await examineServer(config, server); // a server that does not answer is not added
      await writeEntries(config.mcp, { ...entries, [name]: entry });
      await decide(config, name, proposals, options, output());
    });

  mcp
    .command('list')
    .description('The servers; with a name, its tools: what they count as, and what of it somebody has accepted.')
    .argument('[name]')
    .action(async (name: string | undefined) => {
      const config = loadConfig();
      const entries = readEntries(config.mcp);
      if (name === undefined) {
        const trustedErrors = await readTrustedErrors(acceptedPath(config.mcp));
        const all = Object.entries(entries).map(([server, entry]) => {
          const trusted_errors = Object.keys(getOwn(trustedErrors, server) ?? {});
          return { name: server, entry, ...(trusted_errors.length === 0 ? {} : { trusted_errors }) };
        });
        const lines = all.flatMap(({ name: server, entry }) => [
          `${server.padEnd(20)} ${oneLine('command' in entry ? `${entry.command} ${(entry.args ?? []).join(' ')}` : entry.url, 200)}`,
          ...trustLines(getOwn(trustedErrors, server)),
        ]);
        return output().answer(all, lines.length === 0 ? [`${config.mcp} has no servers.`] : lines);
      }
      const proposals = await examineServer(config, parseServer(name, findEntry(entries, name)));
      const trustedErrors = getOwn(await readTrustedErrors(acceptedPath(config.mcp)), name);
      output().answer(proposals, [...proposals.flatMap(lines), ...trustLines(trustedErrors)]);
    });

  decides(mcp.command('accept'))
    .description(
      'Shows the tools of a server that are new or changed since they were accepted, and asks once whether to accept these classes.',
    )
    .argument('<name>')
    .action(async (name: string, options: Who) => {
      const config = loadConfig();
      const proposals = await examineServer(config, parseServer(name, findEntry(readEntries(config.mcp), name)));
      await decide(config, name, proposals, options, output());
    });

  mcp
    .command('remove')
    .description('Removes a server, and what was accepted of it.')
    .argument('<name>')
    .action(async (name: string) => {
      const { mcp: path } = loadConfig();
      const entries = readEntries(path);
      findEntry(entries, name);
      const { [name]: _removed, ...rest } = entries;
      const { [name]: _accepted, ...others } = await readAcceptedTools(acceptedPath(path));
      const { [name]: _trusted, ...othersTrusted } = await readTrustedErrors(acceptedPath(path));
      await writeAcceptedTools(acceptedPath(path), others, othersTrusted);
      await writeEntries(path, rest);
      output().answer({ removed: name }, [`Removed: ${name}. Workers know it until they are started again.`]);
    });

  mcp
    .command('login')
    .description('Logs in to a server with oauth, in a browser on this machine.')
    .argument('<name>')
    .action(async (name: string) => {
      const config = loadConfig();
      const server = parseServer(name, findEntry(readEntries(config.mcp), name));
      if (!withOAuth(server)) throw new UsageError(`${name} has no oauth in ${config.mcp}.`);
      const { login } = await import('../mcp/connection/oauth.js');
      await login(server, mcpLogins(config.home), (url) => process.stderr.write(`Open in a browser: ${url.href}\n`));
      output().answer({ server: name, logged_in: true }, [`Logged in to ${name}.`]);
    });
}

function decides(command: Command): Command {
  return command
    .option(
      '--class <tool=class>',
      `another class for one tool, or for all that a name with * matches, as 'get_*=read': ${CLASSES.join(', ')}; may be given again`,
      several,
    )
    .option(
      '--trust-error <code>',
      'an answer of this server that means that it has done nothing: a code of JSON-RPC such as -32602, or http-403; may be given again',
      several,
    )
    .option('--yes', 'accepts without asking')
    .option('--by <name>', 'who accepts; default: the user of this machine');
}

function entryOf(command: string[], { url, sse, header, env }: AddOptions): ServerEntry {
  if ((url === undefined) === (command.length === 0)) throw new UsageError('Give either --url, or a program after --.');
  if (url !== undefined) {
    if (env) throw new UsageError('--env is for programs; a server over HTTP takes --header.');
    return { type: sse ? 'sse' : 'http', url, ...(header ? { headers: pairs('--header', header) } : {}) };
  }
  if (sse || header) throw new UsageError('--sse and --header go with --url.');
  return { command: command[0]!, args: command.slice(1), ...(env ? { env: pairs('--env', env) } : {}) };
}

function parseServer(name: string, entry: unknown): ServerConfig {
  try {
    return serverOf(name, entry);
  } catch (error) {
    throw new UsageError(`${oneLine(name, 60)}: ${errorMessage(error)}`);
  }
}

function findEntry(entries: Record<string, ServerEntry>, name: string): ServerEntry {
  if (Object.hasOwn(entries, name)) return entries[name]!;
  throw new UsageError(
    `There is no server ${JSON.stringify(name.slice(0, 60))}; servers: ${Object.keys(entries).join(', ') || 'none'}.`,
  );
}

/** The options apply only to what is shown, so the command that accepts it repeats them. */
function acceptCommand(server: string, { class: classes = [], trustError = [] }: Who): string {
  const flags = [...classes.flatMap((one) => ['--class', one]), ...trustError.flatMap((one) => ['--trust-error', one])];
  return ['holdfast', 'mcp', 'accept', server, ...flags, '--yes'].map(shellWord).join(' ');
}

/** Asks one question about all tools that are not accepted yet, or that the options give another class. */
async function decide(config: Config, server: string, proposals: Proposal[], options: Who, out: Output): Promise<void> {
  const classes = wantedClasses(options.class ?? [], proposals);
  const codes = wantedCodes(options.trustError ?? []);
  const selection = proposals
    .filter(({ tool, state }) => state !== 'accepted' || classes.has(tool))
    .map((proposal) => ({ proposal, class: classes.get(proposal.tool) ?? proposal.proposed }));
  const toolLines = selection.flatMap((one) => lines({ ...one.proposal, class: one.class }));
  const tools = selection.map((one) => ({ ...one.proposal, proposed: one.class }));
  const answer = { server, tools, ...(codes.length === 0 ? {} : { trusted_errors: codes }) };
  if (selection.length === 0 && codes.length === 0)
    return out.answer({ ...answer, accepted: false }, ['Everything is accepted as it is.']);
  for (const text of [...toolLines, ...codes.map(trustLine)]) process.stderr.write(`${text}\n`);
  if (!options.yes && !(await confirmClasses(selection.length, codes.length)))
    return out.answer({ ...answer, accepted: false }, [
      `Nothing was accepted: each call of these tools asks a person. \`${acceptCommand(server, options)}\` accepts the classes above.`,
    ]);
  const path = acceptedPath(config.mcp);
  const who = { by: options.by ?? userInfo().username, at: new Date().toISOString() };
  const trustedErrors = await readTrustedErrors(path);
  const more = Object.fromEntries(codes.map((code) => [code, who]));
  const trusting =
    codes.length === 0 ? trustedErrors : { ...trustedErrors, [server]: { ...getOwn(trustedErrors, server), ...more } };
  await writeAcceptedTools(path, accepting(await readAcceptedTools(path), server, selection, who), trusting);
  out.answer({ ...answer, accepted: true, by: who.by }, [
    `Accepted by ${oneLine(who.by, 200)}: ${selection.length} tools${codes.length === 0 ? '' : `, ${codes.length} errors`}, in ${path}.`,
  ]);
}

async function confirmClasses(classes: number, errors: number): Promise<boolean> {
  if (!process.stdin.isTTY || !process.stdout.isTTY) return false;
  const answer = await new TerminalQuestions().ask(
    `Do these ${classes} classes${errors === 0 ? '' : ` and ${errors} errors`} count? [y/N] `,
    new AbortController().signal,
  );
  return /^y(es)?$/i.test(answer?.trim() ?? '');
}

function wantedCodes(codes: string[]): string[] {
  for (const code of codes)
    if (!isAnswerCode(code))
      throw new UsageError(
        `--trust-error ${oneLine(code, 40)} must be a code of JSON-RPC such as -32602, or http-400 to http-499; -32000 and -32001 mean that no answer came.`,
      );
  return codes;
}

function trustLines(errors: TrustedErrors[string] = {}): string[] {
  return Object.entries(errors).map(([code, { by, at }]) => `${trustLine(code)} (${oneLine(by, 200)}, ${oneLine(at, 40)})`);
}

function trustLine(code: string): string {
  return `  an answer ${code} means: it has done nothing, and may be called again`;
}

function lines({ name, class: toolClass, state, description, warnings }: Proposal): string[] {
  return [
    `${name.padEnd(40)} ${toolClass.padEnd(12)} ${state.padEnd(8)} ${oneLine(description, 120)}`,
    ...warnings.map((warning) => `  ${oneLine(warning, 300)}`),
  ];
}
