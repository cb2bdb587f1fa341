import type { Command } from 'commander';
import type { PendingTurn } from '../client';
import { oneLine } from './support/describe';
import type { Output } from './support/output';
import { withClient } from './support/with-client';

export function pending(program: Command, output: () => Output): void {
  program
    .command('pending')
    .description('Calls that wait for a person: approvals, and effects in doubt.')
    .action(async () => {
      const turns = await withClient((client) => client.pending());
      const lines = turns.flatMap(describe);
      output().answer(turns, lines.length > 0 ? lines : ['Nothing waits for a person.']);
    });
}

function describe(turn: PendingTurn): string[] {
  const head = `${turn.turn_id}  ${turn.agent}, asked by ${oneLine(turn.requester)}${turn.ui_url ? `  ${turn.ui_url}` : ''}`;
  if (turn.unreachable !== null) return [head, `  its calls cannot be read now: ${oneLine(turn.unreachable)}`];
  return [
    head,
    ...turn.calls.flatMap((call) => [
      `  ${call.id} ${call.tool}  ${call.state}${call.approval.expires_at && call.state === 'waiting' ? `, expires ${call.approval.expires_at}` : ''}`,
      call.state === 'in_doubt'
        ? `    holdfast settle ${turn.turn_id} applied|not_applied --call ${call.digest}`
        : `    holdfast approve ${turn.turn_id} --call ${call.digest}`,
    ]),
  ];
}
