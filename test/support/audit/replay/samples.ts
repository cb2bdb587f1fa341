/** Replays in the tests of audit/replay: of frozen histories and bundles, over the replay bundle as it is or changed. */
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { historiesOf } from '../../../../src/audit/replay/from-file';
import type { ReplayResult } from '../../../../src/audit/replay/protocol';
import { replayAll, type Replayable } from '../../../../src/audit/replay/replay';

const ROOT = join(__dirname, '../../../..');
export const CODE = join(ROOT, 'dist', 'replay-bundle.js');
export const HISTORIES = filesOf('histories', '.json');
export const BUNDLES = filesOf('bundles', '.jsonl');

export const history = (name: string) => join(ROOT, 'test', 'histories', `${name}.json`);
export const bundle = (name: string) => join(ROOT, 'test', 'bundles', `${name}.jsonl`);

function filesOf(folder: string, ending: string): string[] {
  const path = join(ROOT, 'test', folder);
  return readdirSync(path)
    .filter((name) => name.endsWith(ending))
    .map((name) => join(path, name));
}

export async function* allOf(files: string[]): AsyncGenerator<Replayable> {
  for (const file of files) yield* historiesOf(file);
}

export async function replayed(files: string[], code = CODE): Promise<ReplayResult[]> {
  const all: ReplayResult[] = [];
  for await (const one of replayAll(allOf(files), { code })) all.push(one);
  return all;
}

export type Change = [from: RegExp, to: string];

/** Over workflow code in which each `from` stands changed to `to`. */
export async function replayedChanged(files: string[], changes: Change[]): Promise<ReplayResult[]> {
  let code = readFileSync(CODE, 'utf8');
  for (const [from, to] of changes) {
    if (!from.test(code)) throw new Error(`The replay bundle has no ${from}; mend this test`);
    code = code.replace(from, to);
  }
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-replay-'));
  try {
    await writeFile(join(folder, 'replay-bundle.js'), code);
    return await replayed(files, join(folder, 'replay-bundle.js'));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
