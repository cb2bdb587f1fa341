/** `holdfast incident`: writes the bundle, verification, report and replay of a turn into one folder. */
import type { Command } from 'commander';
import { EXIT, Exit } from './support/exit';
import { investigate } from './support/investigate';
import type { Output } from './support/output';
import { ownKeys } from './support/read-bundle';
import { trustFile } from './support/trust-file';
import { withClient } from './support/with-client';

interface Options {
  output?: string;
  trust?: string;
}

export function incident(program: Command, output: () => Output): void {
  program
    .command('incident')
    .description(
      'Bundle, verification, report and replay of a turn, in one go: exit 0 if the record is complete and intact, and replays the same.',
    )
    .argument('<turn>', 'its id; call/… for a direct call')
    .option('-o, --output <folder>', 'where all of it goes; default: incident-TURN')
    .option('--trust <file>', 'keys that you trust; default: those that this installation trusts itself')
    .action(async (turn: string, { output: path, trust }: Options) => {
      const folder = path ?? `incident-${turn.replace(/[^A-Za-z0-9._-]/g, '-')}`;
      const fileKeys = trust === undefined ? null : await trustFile(trust);
      const keys = async () => fileKeys ?? (await ownKeys());
      const { lines, ...report } = await withClient((client) => investigate(client, { turn, folder, keys }));
      output().answer(report, [
        ...lines,
        ...(trust === undefined
          ? ['Verified with the keys that this installation trusts. An auditor gives their own: --trust FILE']
          : []),
      ]);
      if (!report.good) throw new Exit(EXIT.failed);
    });
}
