/** `holdfast audit export`: writes the audit bundle of a turn, a direct call or a session to a file. */
import type { Command } from 'commander';
import type { BundleOf } from '../client/holdfast-client';
import { several } from './support/decide-options';
import { UsageError } from './support/exit';
import { Progress } from './support/progress';
import type { Output } from './support/output';
import { withClient } from './support/with-client';
import { describeBundle, writeWhole } from './support/write-whole';

interface Options {
  output?: string;
  session?: string;
  recipient?: string[];
}

export function auditExport(audit: Command, output: () => Output): void {
  audit
    .command('export')
    .description(
      'Writes the audit bundle of a turn, of a direct call (call/…) or of a session: one signed file that can be verified offline.',
    )
    .argument('[turn]')
    .option('-o, --output <file>', 'where it goes; - for standard output')
    .option('--session <session>', 'of all turns of this session')
    .option('--recipient <age1…>', 'encrypts it with age to this key of an auditor; may be given again', several)
    .action(async (turn: string | undefined, { output: path, session, recipient }: Options) => {
      const of = readTarget(turn, session);
      if (path === undefined) throw new UsageError('Name the file to write: -o FILE, or -o - for standard output.');
      const encrypt = recipient === undefined ? null : await (await import('../encryption/age.js')).encrypterFor(recipient);
      const out = output();
      const progress = new Progress(out.json ? null : process.stderr);
      const bundle = await withClient(async (client) => {
        const subject = 'turn' in of ? { turn: (await client.turnNamed(of.turn)).id } : of;
        return writeWhole(countLines(client.bundle(subject), progress), path, encrypt);
      }).finally(() => progress.end());
      if (path === '-') return;
      out.answer({ file: path, ...bundle }, describeBundle(path, bundle));
    });
}

function readTarget(turn: string | undefined, session: string | undefined): BundleOf {
  if ((turn === undefined) === (session === undefined)) throw new UsageError('Of what? A turn, or --session SESSION.');
  return turn === undefined ? { session: session! } : { turn };
}

async function* countLines(lines: AsyncIterable<string>, progress: Progress): AsyncGenerator<string> {
  let count = 0;
  let characters = 0;
  for await (const line of lines) {
    count += 1;
    characters += line.length;
    progress.show(`${count} lines, ${(characters / 1e6).toFixed(1)} MB`);
    yield line;
  }
}
