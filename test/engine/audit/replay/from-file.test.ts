import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LineWriter } from '../../../../src/audit/format/writer';
import type { BundleLine } from '../../../../src/audit/format/lines';
import { historiesOf } from '../../../../src/audit/replay/from-file';
import type { Replayable } from '../../../../src/audit/replay/replay';
import { bundle, history } from '../../../support/audit/replay/samples';

let folder: string;
beforeAll(async () => (folder = await mkdtemp(join(tmpdir(), 'holdfast-replay-'))));
afterAll(() => rm(folder, { recursive: true, force: true }));

async function all(path: string): Promise<Replayable[]> {
  const found = [];
  for await (const one of historiesOf(path)) found.push(one);
  return found;
}

async function written(text: string): Promise<string> {
  const path = join(folder, 'file');
  await writeFile(path, text);
  return path;
}

/** A sample with its lines changed, and chained anew. */
async function changed(name: string, change: (line: BundleLine) => BundleLine | null): Promise<string> {
  const writer = new LineWriter();
  const lines = (await readFile(bundle(name), 'utf8')).trim().split('\n');
  const kept = lines.flatMap((line) => change(JSON.parse(line) as BundleLine) ?? []);
  return written(kept.map(({ kind, body }) => writer.line(kind, body as never)).join(''));
}

describe('the histories of a file', () => {
  it('are the runs of a bundle, each with its id', async () => {
    const runs = await all(bundle('reset'));
    expect(runs.map((run) => Object.keys(run).sort())).toEqual([
      ['events', 'run_id', 'workflow_id'],
      ['events', 'run_id', 'workflow_id'],
    ]);
    expect(new Set(runs.map(({ run_id }) => run_id)).size).toBe(2);
  });

  it('are one history as JSON, with the id that its first event names', async () => {
    expect(await all(history('session'))).toMatchObject([{ workflow_id: expect.stringMatching(/^session\//), run_id: null }]);
  });

  it('cannot be replayed if a payload was redacted', async () => {
    const path = await changed('plain', (line) => {
      if (line.kind !== 'event') return line;
      const { activityTaskScheduledEventAttributes: scheduled } = line.body.event as {
        activityTaskScheduledEventAttributes?: any;
      };
      if (scheduled) scheduled.input = { payloads: [{ redacted: true }] };
      return line;
    });
    expect(await all(path)).toEqual([expect.objectContaining({ cannot: expect.stringMatching(/^Event \d+ was redacted: /) })]);
  });

  it('cannot be replayed where the bundle has none', async () => {
    const path = await changed('plain', (line) => (line.kind === 'event' ? null : line));
    expect(await all(path)).toEqual([expect.objectContaining({ cannot: expect.stringMatching(/has no events of this run/) })]);
  });

  it.each([
    ['nothing', ''],
    ['no JSON', 'hello'],
    ['no events', '{"events":[]}'],
    ['invalid events', '{"events":[1]}'],
  ])('are refused, with a reason, where a file has %s', async (_what, text) => {
    await expect(all(await written(text))).rejects.toThrow(/is neither a bundle nor a history as JSON: /);
  });

  it('are read up to the broken line of a bundle', async () => {
    const text = await readFile(bundle('plain'), 'utf8');
    await expect(all(await written(text.slice(0, text.length / 2)))).rejects.toThrow(/cut short/);
  });
});
