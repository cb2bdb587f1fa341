/** `holdfast fork`: opens a session that continues after a block of another conversation. */
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
      // A user with direct access to Temporal and the store is the operator, who sees everything.
      const session = await withClient((client) => client.fork({ from, of: null, ...more }).then((handle) => handle.status()));
      output().answer(session, [`${session.session_id}${session.ui_url ? `  ${session.ui_url}` : ''}`]);
    });
}
