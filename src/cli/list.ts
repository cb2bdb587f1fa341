/** `holdfast list`: lists turns. */
import type { Command } from 'commander';
import { TURN_STATES, type TurnState } from '../shared/turn/turn-states';
import type { TurnSummary } from '../shapes/turn-view';
import { describeKey } from './support/describe';
import { wholeNumber } from './support/numbers';
import type { Output } from './support/output';
import { withClient } from './support/with-client';

interface ListOptions {
  state?: TurnState;
  agent?: string;
  limit: number;
}

export function list(program: Command, output: () => Output): void {
  program
    .command('list')
    .description('Turns, newest first.')
    .option('--state <state>', TURN_STATES.join(' | '))
    .option('--agent <name>', 'only of this agent')
    .option('--limit <n>', 'at most so many', wholeNumber, 50)
    .action(async (options: ListOptions) => {
      const turns: TurnSummary[] = [];
      await withClient(async (client) => {
        for await (const turn of client.list(options)) turns.push(turn);
      });
      const lines = turns.map(
        (turn) =>
          `${turn.turn_id.padEnd(34)} ${turn.state.padEnd(18)} ${turn.agent.padEnd(18)} ${turn.started_at}${describeKey(turn.key)}`,
      );
      output().answer(turns, lines.length > 0 ? lines : ['There are no turns.']);
    });
}
