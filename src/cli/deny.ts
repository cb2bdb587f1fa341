/** `holdfast deny`: denies waiting calls. */
import type { Command } from 'commander';
import { describeAcceptance, decide } from './support/decide';
import { decideOptions, type DecideOptions } from './support/decide-options';
import type { Output } from './support/output';

export function deny(program: Command, output: () => Output): void {
  decideOptions(
    program.command('deny').description('Denies waiting calls; the model reads the note.').argument('<turn>'),
    'why not: the model reads it',
  ).action(async (turn: string, options: DecideOptions) => {
    const deciding = { turn, decision: 'deny' as const };
    output().answer(...describeAcceptance(deciding, options, await decide(deciding, options)));
  });
}
