/** Puts the commands together, and runs one of them. Each command is a file. */
import { Command } from 'commander';
import { answer } from './answer';
import { approve } from './approve';
import { budgets } from './budgets';
import { call } from './call';
import { cancel } from './cancel';
import { chat } from './chat';
import { codec } from './codec';
import { complete } from './complete';
import { config } from './config';
import { deny } from './deny';
import { dev } from './dev';
import { doctor } from './doctor';
import { fork } from './fork';
import { gateway } from './gateway';
import { list } from './list';
import { pending } from './pending';
import { proxy } from './proxy';
import { run } from './run';
import { sessions } from './sessions';
import { settle } from './settle';
import { sign } from './sign';
import { steer } from './steer';
import { freeze, revoke, unfreeze } from './stop';
import { show } from './show';
import { start } from './start';
import { createOutput, JSON_OPTION, type Output } from './support/output';
import { runProgram } from './support/run-program';
import { readSettingsFile } from './support/settings-file';
import { watch } from './watch';
import { witness } from './witness';
import { worker } from './worker';
import { trail } from './trail';
import { version } from '../version';

const COMMANDS = [
  dev,
  worker,
  gateway,
  codec,
  proxy,
  witness,
  start,
  run,
  chat,
  sessions,
  fork,
  call,
  show,
  watch,
  list,
  pending,
  approve,
  answer,
  deny,
  settle,
  complete,
  sign,
  steer,
  cancel,
  freeze,
  unfreeze,
  revoke,
  trail,
  budgets,
  config,
  doctor,
];

/** The groups whose subcommands are loaded when they are used: what they need costs half a second that no other command has to wait for. */
const GROUPS: { [name: string]: { description: string; load: () => Promise<(group: Command, output: () => Output) => void> } } = {
  tools: {
    description: 'The tools of an app: what they are, what they cost, how they change.',
    load: async () => (await import('./tools.js')).toolsCommands,
  },
  keys: {
    description: 'Keys that sign decisions, and tokens for the gateway.',
    load: async () => (await import('./keys.js')).keysCommands,
  },
  deputies: {
    description: 'People who approve in the place of others for a time. Person and deputy count as one.',
    load: async () => (await import('./deputies.js')).deputyCommands,
  },
  'sign-in': {
    description: 'Names of the people who sign in at the OpenID provider.',
    load: async () => (await import('./sign-in.js')).signInCommands,
  },
  schedule: {
    description: 'Turns that begin by themselves, at set times: lists, makes, pauses, resumes and triggers them.',
    load: async () => (await import('./schedule.js')).scheduleCommands,
  },
  mcp: {
    description: 'MCP servers whose tools agents may have, the classes that somebody accepted for them, and our own server.',
    load: async () => (await import('./mcp.js')).mcpCommands,
  },
  store: {
    description: 'The store: what nothing refers to any more, and what a restored one does not know.',
    load: async () => (await import('./store.js')).storeCommands,
  },
  eval: {
    description: 'Cases of an agent: runs them with models, and makes a case of what happened.',
    load: async () => (await import('./eval.js')).evalCommands,
  },
  audit: {
    description: 'Bundles: the whole record of a turn in one signed file.',
    load: async () => (await import('./audit.js')).auditCommands,
  },
};

/** @returns the exit code; all that is wrong has been said */
export async function runCommand(argv: string[]): Promise<number> {
  const program = await commandLine((name) => argv.includes(name), argv.includes('--json'));
  return runProgram(program, argv);
}

/** The command line, with the subcommands of those groups that are used. */
export async function commandLine(isUsed: (name: string) => boolean, isJson = false): Promise<Command> {
  const program = new Command('holdfast')
    .description('A durable engine for agent turns. Settings come from the environment: see `holdfast config`.')
    .version(version)
    .option('--json', JSON_OPTION)
    .showHelpAfterError('(see --help)')
    .exitOverride()
    .hook('preAction', (_, command) => readSettingsFile(command.opts<{ app?: string }>().app));
  const output = () => createOutput(program.opts<{ json?: boolean }>().json === true || isJson);
  for (const command of COMMANDS) command(program, output);
  for (const [name, { description, load }] of Object.entries(GROUPS)) {
    const group = program.command(name).description(description);
    if (isUsed(name)) (await load())(group, output);
  }
  if (isUsed('incident')) (await import('./incident.js')).incident(program, output);
  else program.command('incident').description('Bundle, verification, report and replay of a turn, in one go.');
  const all = (parent: Command): Command[] => parent.commands.flatMap((command) => [command, ...all(command)]);
  for (const command of all(program)) command.option('--json', JSON_OPTION).exitOverride();
  return program;
}
