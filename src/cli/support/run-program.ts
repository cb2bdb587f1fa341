/** Runs a command line, and turns its errors into messages and an exit code. */
import { CommanderError, type Command } from 'commander';
import { EXIT, Exit, exitOfError } from './exit';
import { errorMessage } from '../../shared/text/error-message';

/** @returns the exit code */
export async function runProgram(program: Command, argv: readonly string[]): Promise<number> {
  try {
    await program.parseAsync(argv);
    return EXIT.done;
  } catch (error) {
    if (error instanceof Exit) return error.code;
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
    process.stderr.write(`${program.name()}: ${errorMessage(error)}\n`);
    if (process.env.HOLDFAST_LOG_LEVEL === 'debug' && error instanceof Error) process.stderr.write(`${error.stack}\n`);
    return exitOfError(error);
  }
}
