/** `holdfast approve`: approves waiting calls, or replaces a waiting call by one with another input. */
import type { Command } from 'commander';
import type { JsonObject } from '../shared/json/json';
import { describeAcceptance, decide } from './support/decide';
import { decideOptions, type DecideOptions } from './support/decide-options';
import { jsonObject } from './support/json-option';
import type { Output } from './support/output';
import { optional } from '../shared/json/optional';

export function approve(program: Command, output: () => Output): void {
  decideOptions(
    program.command('approve').description('Approves waiting calls: all that are named, or none.').argument('<turn>'),
    'note for the record',
  )
    .option(
      '--input <json>',
      'does not approve: replaces the waiting call by one with this input, which waits for its own approval',
      jsonObject,
    )
    .action(async (turn: string, { input, ...options }: DecideOptions & { input?: JsonObject }) => {
      const deciding = { turn, decision: 'approve' as const, ...optional({ input }) };
      output().answer(...describeAcceptance(deciding, options, await decide(deciding, options)));
    });
}
