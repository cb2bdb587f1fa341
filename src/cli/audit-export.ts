/** `holdfast audit export`: writes the audit bundle of a turn, a direct call or a session to a file. */
import type { Command } from 'commander';
import { loadConfig } from '../config';
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
      const faults: string[] = [];
      const bundle = await withClient(async (client) => {
        const subject = 'turn' in of ? { turn: (await client.turnNamed(of.turn)).id } : of;
        const { receipts: services } = loadConfig();
        const { presentHead } = await import('../witness/client.js');
        const { withReceipts } = await import('../audit/archive/receipts.js');
        const head = services.witness && (await presentHead(services.witness));
        const lines = withReceipts(client.bundle(subject, { head }), services, (missing) => faults.push(...missing));
        return writeWhole(countLines(lines, progress), path, encrypt);
      }).finally(() => progress.end());
      if (path === '-') {
        for (const fault of faults) process.stderr.write(`holdfast: no receipt: ${fault}\n`);
        return;
      }
      out.answer({ file: path, ...bundle, missing_receipts: faults }, [
        ...describeBundle(path, bundle),
        ...faults.map((fault) => `No receipt: ${fault} \`holdfast audit witness ${path}\` asks again.`),
      ]);
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
