import type { Command } from 'commander';
import { describeSent, describeTurn } from './support/describe';
import type { Output } from './support/output';
import { withClient } from './support/with-client';

export function show(program: Command, output: () => Output): void {
  program
    .command('show')
    .description('The state of a turn, with its calls.')
    .argument('<turn>')
    .option('--senders', 'who started it, and who sent it what, as Temporal has recorded it')
    .action(async (turnId: string, { senders }: { senders?: boolean }) => {
      if (senders) {
        const sent = await withClient((client) => client.turn(turnId).senders());
        return output().answer(sent, sent.map(describeSent));
      }
      const view = await withClient((client) => client.turn(turnId).status());
      return output().answer(view, describeTurn(view));
    });
}
