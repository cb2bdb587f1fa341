/** A bundle that is larger than the memory of the process that verifies it, which holds no more than one line of it, however much tools returned. */
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { LineWriter } from '../../../../src/audit/format/writer';
import { sample, TRUST_FILE } from '../../../support/bundle-keys';
import { resultPart } from '../../support/result-part';
import { nextLine, type AnyLine } from '../../../support/rewrite-bundle';

const RESULTS = 60;
const RESULT_BYTES = 4_000_000;
/** MB that V8 may hold; the bundle has more than twice as many. */
const HEAP = 110;

const folder = mkdtempSync(join(tmpdir(), 'holdfast-large-'));
const file = join(folder, 'large.jsonl');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('a large bundle is verified in constant memory', async () => {
  await grown();
  const cli = join(__dirname, '../../../../dist/cli/main.js');
  const args = [`--max-old-space-size=${HEAP}`, cli, 'audit', 'verify', file, '--trust', TRUST_FILE];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', env: {} });
  expect({ status, stdout, stderr: stderr.slice(0, 500) }).toEqual({
    status: 0,
    stdout: expect.stringContaining('intact since signing'),
    stderr: '',
  });
});

/** A sample whose tools have returned a lot. */
async function grown(): Promise<void> {
  const out = createWriteStream(file);
  const writer = new LineWriter();
  const write = async (line: AnyLine) => void (out.write(nextLine(writer, line)) || (await once(out, 'drain')));
  for (const line of (await sample('approval')).trimEnd().split('\n')) {
    const { kind, body } = JSON.parse(line) as AnyLine;
    if (kind === 'turn_end') for (let more = 0; more < RESULTS; more++) await write(resultPart(more, RESULT_BYTES));
    await write({ kind, body } as AnyLine);
  }
  out.end();
  await finished(out);
}
