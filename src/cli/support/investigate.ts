/** Writes the audit of a turn into one folder: bundle, verification, report, replay. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { html, markdown, report } from '../../audit/report';
import type { ReplayResult } from '../../audit/replay/protocol';
import { replayCode } from '../../audit/replay/code';
import { historiesOf } from '../../audit/replay/from-file';
import { replayAll } from '../../audit/replay/replay';
import { describeReplay, describeSummary, isSame, Summing, type ReplaySummary } from '../../audit/replay/summary';
import type { TrustEntry } from '../../attestation/trusted-keys';
import { forMachines, type Verification } from '../../audit/verify/verification';
import type { HoldfastClient } from '../../client/holdfast-client';
import { oneLine } from './describe';
import { UsageError } from './exit';
import { readBundle } from './read-bundle';
import { writeFileWhole } from './write-file';
import { writeWhole } from './write-whole';

export interface Investigation {
  folder: string;
  files: string[];
  root: string;
  complete: boolean;
  verdict: Verification['verdict'];
  replay: ReplaySummary;
  /** The record is whole and intact, and its replay gives the same. */
  good: boolean;
  /** The result as lines for people. */
  lines: string[];
}

/**
 * @param keys called once the bundle exists: the first bundle makes the key that signs it
 * @throws UsageError for a folder that cannot be written
 */
export async function investigate(
  client: HoldfastClient,
  { turn, folder, keys }: { turn: string; folder: string; keys: () => Promise<readonly TrustEntry[]> },
): Promise<Investigation> {
  await folderFor(folder);
  const bundle = join(folder, 'bundle.jsonl');
  const { id } = await client.turnNamed(turn);
  const { complete, root } = await writeWhole(client.bundle({ turn: id }), bundle);
  const read = await readBundle(bundle, await keys());
  await writeFileWhole(join(folder, 'verification.json'), `${JSON.stringify(forMachines(read.result), null, 2)}\n`);
  const doc = report(read);
  await writeFileWhole(join(folder, 'report.html'), html(doc));
  await writeFileWhole(join(folder, 'report.md'), markdown(doc));
  const replayReport = await replay(bundle);
  await writeFileWhole(join(folder, 'replay.json'), `${JSON.stringify(replayReport, null, 2)}\n`);
  const { verdict } = read.result;
  return {
    folder,
    files: ['bundle.jsonl', 'verification.json', 'report.html', 'report.md', 'replay.json'],
    root,
    complete,
    verdict,
    replay: replayReport.summary,
    good: verdict === 'intact' && complete && isSame(replayReport.summary),
    lines: [
      `bundle:   ${bundle}`,
      `verified: ${oneLine(read.verification.headline, 1000)}`,
      ...read.verification.details.map((line) => `  ${oneLine(line, 1000)}`),
      ...(complete ? [] : ['complete: no; the report says why']),
      ...replayReport.lines.map((line, index) => `${index === 0 ? 'replay:   ' : '  '}${oneLine(line, 1000)}`),
      `report:   ${join(folder, 'report.html')}`,
    ],
  };
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
  histories: ReplayResult[];
  lines: string[];
}

/** Replays with the workflow code of this build; nothing is executed. */
async function replay(bundle: string): Promise<Replays> {
  const code = await replayCode(undefined);
  const summing = new Summing(code);
  const histories: ReplayResult[] = [];
  for await (const result of replayAll(historiesOf(bundle), { code: code.path, onReady: (about) => summing.ready(about) })) {
    summing.add(result);
    histories.push(result);
  }
  const odd = histories.filter(({ outcome }) => outcome !== 'same').flatMap(describeReplay);
  return { summary: summing.sum, histories, lines: [...describeSummary(summing.sum), ...odd] };
}
