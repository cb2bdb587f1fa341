/** A bundle's lines from a stream of bytes, checked for form and chained; one line in memory at a time. */
import { createHash } from 'node:crypto';
import { StringDecoder } from 'node:string_decoder';
import { canonical } from '../../shared/canonical';
import { isJsonObject, type Json } from '../../shared/json';
import { parseJson } from '../../shared/parse-json';
import type { BundleLine, LineKind } from './lines';

const KINDS: readonly LineKind[] = ['bundle', 'object', 'turn', 'run', 'event', 'part', 'block', 'effect', 'turn_end', 'end'];
/** Temporal's events are below 4 MB, parts of the store below 64. */
const LONGEST_LINE = 128 * 1024 * 1024;

/** A line that cannot be read, or does not follow the one before. */
export class BrokenLine extends Error {
  override readonly name = 'BrokenLine';
  constructor(
    readonly n: number,
    reason: string,
  ) {
    super(reason);
  }
}

/** @throws BrokenLine */
export async function* readLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<BundleLine> {
  let n = 0;
  let prev: string | null = null;
  for await (const text of textLines(chunks)) {
    const line = readLine(text, n, prev);
    yield line;
    prev = line.hash;
    n += 1;
  }
}

function readLine(text: string, n: number, prev: string | null): BundleLine {
  const broken = (reason: string) => new BrokenLine(n, reason);
  let line: Json;
  try {
    line = parseJson(text);
    if (canonical(line) !== text) throw new Error('it is not in canonical form');
  } catch (error) {
    throw broken(`The line cannot be read: ${(error as Error).message}`);
  }
  if (!isJsonObject(line) || Object.keys(line).join() !== 'body,kind,n,prev')
    throw broken('The line does not have exactly n, kind, prev and body');
  if (line.n !== n)
    throw broken(`The line says that it is number ${JSON.stringify(line.n)}: lines are missing, or in another order`);
  if (line.prev !== prev) throw broken('The line does not follow the one before: one of the two was changed');
  if (!KINDS.includes(line.kind as LineKind) || !isJsonObject(line.body)) throw broken('The line has no known kind, or no body');
  const hash = createHash('sha256').update(text, 'utf8').digest('hex');
  return { n, kind: line.kind, prev, body: line.body, hash } as unknown as BundleLine;
}

async function* textLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  let n = 0;
  for await (const chunk of chunks) {
    const pieces = decoder.write(chunk as Buffer).split('\n');
    pieces[0] = rest + pieces[0]!;
    rest = pieces.pop()!;
    for (const piece of pieces) {
      yield piece;
      n += 1;
    }
    if (rest.length > LONGEST_LINE) throw new BrokenLine(n, `The line has more than ${LONGEST_LINE} characters`);
  }
  if (rest + decoder.end() !== '') throw new BrokenLine(n, 'The last line does not end with a newline: the file was cut short');
}
