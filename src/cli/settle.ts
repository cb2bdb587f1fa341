/** `holdfast settle`: states how a call in doubt ended. */
import type { Command } from 'commander';
import { describeAcceptance, decide } from './support/decide';
import { decideOptions, type DecideOptions } from './support/decide-options';
import { UsageError } from './support/exit';
import type { Output } from './support/output';

export function settle(program: Command, output: () => Output): void {
  const command = program
    .command('settle')
    .description('Says what became of a call that is in doubt: "applied" or "not_applied".')
    .argument('<turn>')
    .argument('<outcome>', 'applied | not_applied');
  decideOptions(command, 'what the finding rests on').action(async (turn: string, outcome: string, options: DecideOptions) => {
    const deciding = { turn, decision: 'settle' as const, outcome: outcomeOf(outcome) };
    output().answer(...describeAcceptance(deciding, options, await decide(deciding, options)));
  });
}

/** @throws UsageError */
export function outcomeOf(outcome: string | undefined): 'applied' | 'not_applied' {
  if (outcome === 'applied' || outcome === 'not_applied') return outcome;
  throw new UsageError(`outcome is ${JSON.stringify(outcome)}; it must be applied or not_applied.`);
}
