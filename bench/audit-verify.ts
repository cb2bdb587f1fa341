/** Measures the verification of a bundle: time beside `sha256sum` over the same file, and memory, for two sizes. */
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import type { JsonObject } from '../src/shared/json/json';
import { sample, TRUST_FILE } from '../test/support/bundle-keys';
import { resultPart } from '../test/system/support/result-part';
import { nextLine, type AnyLine } from '../test/support/rewrite-bundle';
import { LineWriter } from '../src/audit/format/writer';

export interface VerifySpeed {
  megabytes: number;
  lines: number;
  /** Seconds, including the start of the process, for both. */
  verify: number;
  sha256sum: number;
  /** Peak memory of the verifying process, MB. */
  peak: number;
}

const DIST = join(__dirname, '..', 'dist');
/** Reads the file as the command does, and prints the peak memory of the process. */
const VERIFIER = `
const { verifyBundle } = require(${JSON.stringify(join(DIST, 'audit', 'verify'))});
const { createReadStream, readFileSync } = require('node:fs');
const [file, trust] = process.argv.slice(1);
verifyBundle(createReadStream(file, { highWaterMark: 1 << 20 }), JSON.parse(readFileSync(trust, 'utf8'))).then(({ verdict, why }) => {
  console.log(JSON.stringify({ verdict, why, kilobytes: process.resourceUsage().maxRSS }));
});`;

export async function auditVerify(megabytes: number, say: (line: string) => void): Promise<VerifySpeed[]> {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-bench-verify-'));
  try {
    const all: VerifySpeed[] = [];
    for (const size of [megabytes / 4, megabytes]) {
      const file = join(folder, `${size}.jsonl`);
      const lines = await grown(size * 1e6, file);
      spawnSync('sha256sum', [file]); // both read it from memory
      const [sha256sum] = timed('sha256sum', [file]);
      const [verify, printed] = timed(process.execPath, ['-e', VERIFIER, file, TRUST_FILE]);
      const { verdict, why, kilobytes } = JSON.parse(printed) as { verdict: string; why: string; kilobytes: number };
      if (verdict !== 'intact') throw new Error(`The bundle of the bench is ${verdict}: ${why}`);
      all.push({ megabytes: statSync(file).size / 1e6, lines, verify, sha256sum, peak: kilobytes / 1024 });
      say(`  ${size} MB: ${verify.toFixed(1)} s`);
    }
    return all;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function timed(command: string, args: string[]): [seconds: number, printed: string] {
  const began = performance.now();
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command}: ${stderr}`);
  return [(performance.now() - began) / 1000, stdout];
}

const PART_BYTES = 4000;
const EVENT_BYTES = 1000;

/** Extends a sample to this size by events and parts, half of the bytes each. @returns the number of lines */
async function grown(bytes: number, file: string): Promise<number> {
  const lines = (await sample('approval'))
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as AnyLine);
  const out = createWriteStream(file);
  const writer = new LineWriter();
  const write = async (line: AnyLine) => {
    if (!out.write(nextLine(writer, line))) await once(out, 'drain');
  };
  const last = lines.findLastIndex(({ kind }) => kind === 'event');
  for (const [index, line] of lines.entries()) {
    if (index === last) {
      const { event } = line.body as { event: JsonObject };
      const [first, many] = [Number(event.eventId), Math.ceil(bytes / 2 / EVENT_BYTES)];
      for (let more = 0; more < many; more++) await write(signal(first + more, event.eventTime as string));
      event.eventId = String(first + many);
    }
    await write(line);
    if (lines[index + 1]?.kind === 'turn_end')
      for (let more = 0; more < bytes / 2 / PART_BYTES; more++) await write(resultPart(more, PART_BYTES));
  }
  out.end();
  await finished(out);
  return writer.lines;
}

/** An event without meaning for any rule: it is read, hashed and numbered like any other. */
function signal(id: number, eventTime: string): AnyLine {
  const data = Buffer.from(JSON.stringify({ text: `${id} `.repeat(60) })).toString('base64');
  const input = { payloads: [{ metadata: { encoding: Buffer.from('json/plain').toString('base64') }, data }] };
  const workflowExecutionSignaledEventAttributes = { signalName: 'noise', input, identity: 'bench' };
  const event = {
    eventId: String(id),
    eventTime,
    eventType: 'EVENT_TYPE_WORKFLOW_EXECUTION_SIGNALED',
    workflowExecutionSignaledEventAttributes,
  };
  return { kind: 'event', body: { event } };
}
