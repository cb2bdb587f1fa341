import type { Command } from 'commander';
import { describeTurn } from './support/describe';
import type { Output } from './support/output';
import { withClient } from './support/with-client';

export function show(program: Command, output: () => Output): void {
  program
    .command('show')
    .description('The state of a turn, with its calls.')
    .argument('<turn>')
    .action(async (turnId: string) => {
      const view = await withClient((client) => client.turn(turnId).status());
      output().answer(view, describeTurn(view));
    });
}
