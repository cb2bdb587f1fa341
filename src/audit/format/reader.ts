/** Reads a bundle's lines from a stream of bytes, and checks their form and chain. Only one line is in memory at a time. */
import { isUtf8 } from 'node:buffer';
import { isJsonObject, type Json } from '../../shared/json/json';
import { parseCanonical } from './canonical-text';
import type { BundleLine, LineKind } from './lines';
import { sha256Hex } from '../../shared/json/sha256';
import { errorMessage } from '../../shared/text/error-message';

const KINDS: readonly LineKind[] = [
  'bundle',
  'object',
  'turn',
  'run',
  'event',
  'session',
  'part',
  'block',
  'effect',
  'turn_end',
  'end',
  'receipt',
];
/** Bytes. Events of Temporal are below 4 MB, parts of the store below 64 MB. */
const LONGEST_LINE = 128 * 1024 * 1024;
const NEWLINE = 0x0a;

export type Chunks = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

/** A line that cannot be read, or that does not follow the line before. */
export class BrokenLine extends Error {
  override readonly name = 'BrokenLine';
  constructor(
    readonly n: number,
    /** S1: its form; S2: its place; S3: its kind; S7: it is missing (docs/bundle-format.md). */
    readonly rule: 'S1' | 'S2' | 'S3' | 'S7',
    reason: string,
  ) {
    super(reason);
  }
}

/** A line, with its bytes (without the newline). */
export type ReadLine = BundleLine & { bytes: Buffer };

/** @throws BrokenLine */
export async function* readLines(chunks: Chunks): AsyncGenerator<ReadLine> {
  let n = 0;
  let prev: string | null = null;
  for await (const bytes of byteLines(chunks)) {
    const line = readLine(bytes, n, prev);
    yield line;
    prev = line.hash;
    n += 1;
  }
}

function readLine(bytes: Buffer, n: number, prev: string | null): ReadLine {
  const broken = (rule: BrokenLine['rule'], reason: string) => new BrokenLine(n, rule, reason);
  let line: Json;
  try {
    if (!isUtf8(bytes)) throw new Error('it is not UTF-8');
    line = parseCanonical(bytes.toString('utf8'));
  } catch (error) {
    throw broken('S1', `The line cannot be read: ${errorMessage(error)}`);
  }
  if (!isJsonObject(line) || Object.keys(line).join() !== 'body,kind,n,prev')
    throw broken('S1', 'The line does not have exactly n, kind, prev and body');
  if (line.n !== n)
    throw broken('S2', `The line says that it is number ${formatValue(line.n)}: lines are missing, doubled or in another order`);
  if (line.prev !== prev) throw broken('S2', 'The line does not follow the one before: one of the two was changed');
  if (!KINDS.includes(line.kind as LineKind) || !isJsonObject(line.body))
    throw broken('S3', 'The line has no known kind, or no body');
  const hash = sha256Hex(bytes);
  return { n, kind: line.kind, prev, body: line.body, hash, bytes } as unknown as ReadLine;
}

/** Splits the bytes at the newlines. */
async function* byteLines(chunks: Chunks): AsyncGenerator<Buffer> {
  let rest: Buffer[] = [];
  let waiting = 0;
  let n = 0;
  for await (const chunk of chunks) {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    let from = 0;
    for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, from)) {
      const piece = bytes.subarray(from, end);
      if (waiting + piece.length > LONGEST_LINE) throw tooLong(n);
      yield rest.length === 0 ? piece : Buffer.concat([...rest, piece]);
      [rest, waiting, from] = [[], 0, end + 1];
      n += 1;
    }
    if (from < bytes.length) rest.push(bytes.subarray(from));
    waiting += bytes.length - from;
    if (waiting > LONGEST_LINE) throw tooLong(n);
  }
  if (waiting > 0) throw new BrokenLine(n, 'S7', 'The last line does not end with a newline: the file was cut short');
}

function tooLong(n: number): BrokenLine {
  return new BrokenLine(n, 'S1', `The line has more than ${LONGEST_LINE} bytes`);
}

function formatValue(value: Json | undefined): string {
  return JSON.stringify(value ?? null).slice(0, 40);
}
