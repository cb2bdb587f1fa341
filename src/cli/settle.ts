import type { Command } from 'commander';
import { decideOptions, type DecideOptions } from './support/decide-options';
import { UsageError } from './support/exit';
import type { Output } from './support/output';
import { withClient } from './support/with-client';

export function settle(program: Command, output: () => Output): void {
  const command = program
    .command('settle')
    .description('Says what became of a call that is in doubt: "applied" or "not_applied".')
    .argument('<turn>')
    .argument('<outcome>', 'applied | not_applied');
  decideOptions(command, 'what the finding rests on').action(
    async (turnId: string, outcome: string, { call, by, note }: DecideOptions) => {
      if (outcome !== 'applied' && outcome !== 'not_applied')
        throw new UsageError(`outcome is ${JSON.stringify(outcome)}; it must be applied or not_applied.`);
      await withClient((client) => client.turn(turnId).settle(call, outcome, { by, ...(note === undefined ? {} : { note }) }));
      output().answer({ accepted: true, call, outcome }, [`Accepted: ${call} is settled as ${outcome} by ${by}.`]);
    },
  );
}
