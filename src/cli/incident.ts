/** `holdfast incident`: all that an audit has to say of a turn, in one folder, in one go. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Command } from 'commander';
import { html, markdown, report } from '../audit/report';
import type { Replayed } from '../audit/replay/protocol';
import { replayCode } from '../audit/replay/code';
import { historiesOf } from '../audit/replay/from-file';
import { replayAll } from '../audit/replay/replay';
import { describeReplayed, describeSummary, isSame, Summing, type ReplaySummary } from '../audit/replay/summary';
import { readTrustedKeys, type TrustedKey } from '../attestation/trusted-keys';
import { loadConfig } from '../config';
import { oneLine } from './support/describe';
import { EXIT, Exit, UsageError } from './support/exit';
import type { Output } from './support/output';
import { readBundle, trustFile } from './support/read-bundle';
import { withClient } from './support/with-client';
import { writeFileWhole } from './support/write-file';
import { writeWhole } from './support/write-whole';

interface Options {
  output?: string;
  trust?: string;
}

export function incident(program: Command, output: () => Output): void {
  program
    .command('incident')
    .description(
      'Bundle, verification, report and replay of a turn, in one go: exit 0 if the record is whole, intact, and would happen again.',
    )
    .argument('<turn>', 'its id; call/… for a direct call')
    .option('-o, --output <folder>', 'where all of it goes; default: incident-TURN')
    .option('--trust <file>', 'keys that you trust; default: those that this installation trusts itself')
    .action(async (turn: string, { output: path, trust }: Options) => {
      const out = output();
      const folder = path ?? `incident-${turn.replace(/[^A-Za-z0-9._-]/g, '-')}`;
      const brought = trust === undefined ? null : await trustFile(trust);
      await folderFor(folder);
      const bundle = join(folder, 'bundle.jsonl');
      out.note(`bundle: ${bundle}`);
      const { complete, root } = await withClient((client) => writeWhole(client.bundle({ turn }), bundle));
      // The first export makes the key that it signs with.
      const read = await readBundle(bundle, brought ?? (await ownKeys()));
      await writeFileWhole(join(folder, 'verification.json'), `${JSON.stringify(read.result, null, 2)}\n`);
      const doc = report(read);
      await writeFileWhole(join(folder, 'report.html'), html(doc));
      await writeFileWhole(join(folder, 'report.md'), markdown(doc));
      const replayed = await replay(bundle);
      await writeFileWhole(join(folder, 'replay.json'), `${JSON.stringify(replayed, null, 2)}\n`);
      const good = read.result.verdict === 'intact' && complete && isSame(replayed.summary);
      const files = ['bundle.jsonl', 'verification.json', 'report.html', 'report.md', 'replay.json'];
      out.answer({ folder, files, root, complete, verdict: read.result.verdict, replay: replayed.summary, good }, [
        `verified: ${oneLine(read.verification.headline, 1000)}`,
        ...(trust === undefined ? ['  by the keys that this installation trusts; an auditor brings his own: --trust FILE'] : []),
        ...(complete ? [] : ['complete: no; the report says why']),
        ...replayed.lines.map((line, index) => `${index === 0 ? 'replay:   ' : '  '}${oneLine(line, 1000)}`),
        `report:   ${join(folder, 'report.html')}`,
      ]);
      if (!good) throw new Exit(EXIT.failed);
    });
}

/** None where this installation has no such file: then the signer is unknown. */
async function ownKeys(): Promise<TrustedKey[]> {
  return readTrustedKeys(loadConfig().trustedKeys).catch(() => []);
}

async function folderFor(path: string): Promise<void> {
  try {
    await mkdir(path, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new UsageError(`The folder ${path} cannot be made: ${(error as NodeJS.ErrnoException).code ?? 'unknown'}.`);
  }
}

interface Replays {
  summary: ReplaySummary;
  histories: Replayed[];
  lines: string[];
}

/** Over the workflow code of this build; nothing is executed. */
async function replay(bundle: string): Promise<Replays> {
  const code = await replayCode(undefined);
  const summing = new Summing(code);
  const histories: Replayed[] = [];
  for await (const replayed of replayAll(historiesOf(bundle), { code: code.path, onReady: (about) => summing.ready(about) })) {
    summing.add(replayed);
    histories.push(replayed);
  }
  const odd = histories.filter(({ outcome }) => outcome !== 'same').flatMap(describeReplayed);
  return { summary: summing.sum, histories, lines: [...describeSummary(summing.sum), ...odd] };
}
