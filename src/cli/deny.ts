import type { Command } from 'commander';
import { decideOptions, type DecideOptions } from './support/decide-options';
import type { Output } from './support/output';
import { withClient } from './support/with-client';

export function deny(program: Command, output: () => Output): void {
  decideOptions(
    program.command('deny').description('Denies one waiting call; the model reads the note.').argument('<turn>'),
    'why not: the model reads it',
  ).action(async (turnId: string, { call, by, note }: DecideOptions) => {
    await withClient((client) => client.turn(turnId).deny(call, { by, ...(note === undefined ? {} : { note }) }));
    output().answer({ accepted: true, call }, [`Accepted: deny ${call} by ${by}.`]);
  });
}
