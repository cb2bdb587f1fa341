import type { Command } from 'commander';
import type { Output } from './support/output';
import { withClient } from './support/with-client';

interface ForkOptions {
  from: string;
  agent?: string;
  id?: string;
  title?: string;
}

export function fork(program: Command, output: () => Output): void {
  program
    .command('fork')
    .description(
      'A new session that goes on after a block of another conversation; `holdfast show` has the last block of a turn.',
    )
    .requiredOption('--from <block>', 'the last block that it has: 64 hex characters')
    .option('--agent <name>', 'another agent; default: that of the conversation')
    .option('--id <key>', 'id of the new session')
    .option('--title <text>', 'its title')
    .action(async ({ from, ...more }: ForkOptions) => {
      // Whoever reaches Temporal and the store by himself is the operator: he sees all.
      const session = await withClient((client) => client.fork({ from, of: null, ...more }).then((forked) => forked.status()));
      output().answer(session, [`${session.session_id}${session.ui_url ? `  ${session.ui_url}` : ''}`]);
    });
}
