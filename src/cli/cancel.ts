/** `holdfast cancel`: ends a turn. */
import type { Command } from 'commander';
import type { Output } from './support/output';
import { withClient } from './support/with-client';

export function cancel(program: Command, output: () => Output): void {
  program
    .command('cancel')
    .description('Ends a turn: running tools first, then the turn. A destructive call in flight is waited for.')
    .argument('<turn>')
    .action(async (turnId: string) => {
      const id = await withClient(async (client) => {
        const turn = await client.turnNamed(turnId);
        await turn.cancel();
        return turn.id;
      });
      output().answer({ requested: true, turn_id: id }, [`Cancellation of ${id} is requested.`]);
    });
}
