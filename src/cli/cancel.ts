import type { Command } from 'commander';
import type { Output } from './support/output';
import { withClient } from './support/with-client';

export function cancel(program: Command, output: () => Output): void {
  program
    .command('cancel')
    .description('Ends a turn: running tools first, then the turn. A destructive call in flight is waited for.')
    .argument('<turn>')
    .action(async (turnId: string) => {
      await withClient((client) => client.turn(turnId).cancel());
      output().answer({ requested: true, turn_id: turnId }, [`Cancellation of ${turnId} is requested.`]);
    });
}
