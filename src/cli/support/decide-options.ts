/** Options that the deciding commands share. */
import { userInfo } from 'node:os';
import type { Command } from 'commander';

/** Who acts, and the key that proves it. */
export interface SignerOptions {
  by?: string;
  key?: string;
  role?: string[];
}

export interface DecideOptions extends SignerOptions {
  /** At least one digest. */
  call: string[];
  note?: string;
}

/** An option that may be given several times. */
export function several(value: string, before: string[] = []): string[] {
  return [...before, value];
}

/** The options that every decision takes. */
export function decideOptions(command: Command, note: string): Command {
  return signerOptions(command.requiredOption(CALL, CALL_TEXT, several), 'who decides').option('--note <text>', note);
}

export const CALL = '--call <digest>';
export const CALL_TEXT = 'first 12 or more characters of the digest (see `holdfast pending`); may be given again';

export function signerOptions(command: Command, who: string): Command {
  return command
    .option('--by <name>', `${who}; default: the user of this machine, or whom the key or token names`)
    .option('--key <file>', 'sign with this private key (see `holdfast keys`)')
    .option('--role <name>', 'a role to sign with; may be given again', several);
}

/** In a container the user may have a number and no name. */
export function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return process.env.USER || `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}
