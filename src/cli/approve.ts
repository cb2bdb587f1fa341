/** `holdfast approve`: approves waiting calls, or replaces a waiting call by one with another input. */
import type { Command } from 'commander';
import type { JsonObject } from '../shared/json/json';
import { describeAcceptance, decide } from './support/decide';
import { decideOptions, type DecideOptions } from './support/decide-options';
import { UsageError } from './support/exit';
import { jsonObject } from './support/json-option';
import type { Output } from './support/output';
import { optional } from '../shared/json/optional';

interface Approving extends DecideOptions {
  input?: JsonObject;
  onBehalfOf?: string;
  deputyship?: string;
}

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
    .option('--on-behalf-of <person>', 'as the deputy of this person (see `holdfast deputies`); you and that person count as one')
    .option('--deputyship <text>', 'with --key: the signed statement, as `holdfast deputies add --print` printed it')
    .action(async (turn: string, { input, onBehalfOf, deputyship, ...options }: Approving) => {
      if (deputyship !== undefined && options.key === undefined) throw new UsageError('--deputyship goes with --key.');
      if (onBehalfOf !== undefined && options.key !== undefined && deputyship === undefined)
        throw new UsageError('With --key, give the signed statement too: --deputyship.');
      const stead = optional({ on_behalf_of: onBehalfOf, deputyship });
      const deciding = { turn, decision: 'approve' as const, ...optional({ input }), ...stead };
      output().answer(...describeAcceptance(deciding, options, await decide(deciding, options)));
    });
}
