/** `holdfast show`: prints the state of a turn, with its calls. */
import type { Command } from 'commander';
import { describeSentMessage, describeTurn } from './support/describe';
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
        const messages = await withClient(async (client) => (await client.turnNamed(turnId)).senders());
        return output().answer(messages, messages.map(describeSentMessage));
      }
      const [view, key] = await withClient(async (client) => {
        const turn = await client.look((await client.turnNamed(turnId)).id);
        return [await turn.view(), turn.summary.key] as const;
      });
      return output().answer(key === null ? view : { ...view, key }, describeTurn(view, key));
    });
}
