import { userInfo } from 'node:os';
import type { Command } from 'commander';

export interface DecideOptions {
  call: string;
  by: string;
  note?: string;
}

/** The options that every decision takes. */
export function decideOptions(command: Command, note: string): Command {
  return command
    .requiredOption('--call <digest>', 'first 12 or more characters of the digest (see `holdfast pending`)')
    .option('--by <name>', 'who decides', userName())
    .option('--note <text>', note);
}

/** In a container the user may have a number and no name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return process.env.USER || `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}
