#!/usr/bin/env node
/** The command line. Each command is a file; this one puts them together and turns errors into exit codes. */
import { Command, CommanderError } from 'commander';
import { approve } from './approve';
import { cancel } from './cancel';
import { deny } from './deny';
import { dev } from './dev';
import { doctor } from './doctor';
import { list } from './list';
import { pending } from './pending';
import { run } from './run';
import { settle } from './settle';
import { show } from './show';
import { start } from './start';
import { EXIT, Exit, exitOfError } from './support/exit';
import { createOutput, endWithReader } from './support/output';
import { watch } from './watch';
import { worker } from './worker';
import { version } from '../version';

const COMMANDS = [dev, worker, start, run, show, watch, list, pending, approve, deny, settle, cancel, doctor];

const JSON_OPTION = 'JSON instead of lines, one value a line';

async function main(argv: string[]): Promise<number> {
  const program = new Command('holdfast')
    .description('A durable engine for agent turns. Settings come from the environment; see the README.')
    .version(version)
    .option('--json', JSON_OPTION)
    .showHelpAfterError('(see --help)')
    .exitOverride();
  const output = () => createOutput(program.opts<{ json?: boolean }>().json === true || argv.includes('--json'));
  for (const command of COMMANDS) command(program, output);
  for (const command of program.commands) command.option('--json', JSON_OPTION).exitOverride();
  try {
    await program.parseAsync(argv);
    return EXIT.done;
  } catch (error) {
    if (error instanceof Exit) return error.code;
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
    process.stderr.write(`holdfast: ${error instanceof Error ? error.message : String(error)}\n`);
    if (process.env.HOLDFAST_LOG_LEVEL === 'debug' && error instanceof Error) process.stderr.write(`${error.stack}\n`);
    return exitOfError(error);
  }
}

endWithReader();
void main(process.argv).then((code) => process.exit(code));
