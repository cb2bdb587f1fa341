/** The program `holdfast-verify`: the command `holdfast audit verify` alone. */
import { Command } from 'commander';
import { verifyCommand } from '../../../src/cli/audit-verify';
import { createOutput, endWithReader, exitAfterFlush, JSON_OPTION } from '../../../src/cli/support/output';
import { runProgram } from '../../../src/cli/support/run-program';
import { version } from '../package.json';

/**
 * Runs the program `holdfast-verify`: it prints to standard output, and ends the process with 0, 1 or 2.
 *
 * @param argv as `process.argv`
 */
export async function runCommandLine(argv: readonly string[]): Promise<void> {
  endWithReader();
  const program = new Command('holdfast-verify').version(version).showHelpAfterError('(see --help)').exitOverride();
  verifyCommand(program, () => createOutput(program.opts<{ json?: boolean }>().json === true));
  program.option('--json', JSON_OPTION);
  exitAfterFlush(await runProgram(program, argv));
}
