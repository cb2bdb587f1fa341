import type { Command } from 'commander';
import { decideOptions, type DecideOptions } from './support/decide-options';
import type { Output } from './support/output';
import { withClient } from './support/with-client';

export function approve(program: Command, output: () => Output): void {
  decideOptions(
    program.command('approve').description('Approves one waiting call.').argument('<turn>'),
    'note for the record',
  ).action(async (turnId: string, { call, by, note }: DecideOptions) => {
    await withClient((client) => client.turn(turnId).approve(call, { by, ...(note === undefined ? {} : { note }) }));
    output().answer({ accepted: true, call }, [`Accepted: approve ${call} by ${by}.`]);
  });
}
