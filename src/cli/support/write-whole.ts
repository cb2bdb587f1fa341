/** Writes a bundle to a file, as a whole or not at all. */
import { pipeline } from 'node:stream/promises';
import type { EndBody } from '../../audit/format/lines';
import { writeFileWhole } from './write-file';

/** What the bundle's trailer says, and the bundle's size. */
export interface WrittenBundle extends Pick<EndBody, 'root' | 'lines' | 'complete' | 'contradiction' | 'kid'> {
  bytes: number;
  /** Number of receipts behind the trailer. */
  receipts: number;
}

/**
 * Writes the lines of a bundle as fast as the disk, or the reader, takes them. An existing file is replaced.
 * @param path `-`: standard output
 * @param encrypt what encrypts it; null: it is plain
 * @throws UsageError for a path that cannot be written
 */
export async function writeWhole(
  lines: AsyncIterable<string>,
  path: string,
  encrypt: ((chunks: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>) | null = null,
): Promise<WrittenBundle> {
  const monitor = new WriteMonitor();
  const chunks = () => monitor.count(encrypt === null ? monitor.over(lines) : encrypt(monitor.over(lines)));
  if (path === '-') {
    await pipeline(chunks(), process.stdout, { end: false });
    return monitor.trailer();
  }
  await writeFileWhole(path, async (file) => {
    for await (const chunk of chunks()) await file.appendFile(chunk);
  });
  return monitor.trailer();
}

/** The end of a line with a receipt, in canonical form. */
const IS_RECEIPT = /"kind":"receipt","n":\d+,"prev":"[0-9a-f]{64}"\}\n$/;
const LAST_CHARACTERS = 150;
/** Small lines are joined up to this size. */
const CHUNK = 64 * 1024;

class WriteMonitor {
  private bytes = 0;
  /** The last line that is no receipt: the trailer. */
  private last = '';
  private receipts = 0;

  async *over(lines: AsyncIterable<string>): AsyncGenerator<Buffer> {
    let buffer = '';
    for await (const line of lines) {
      if (IS_RECEIPT.test(line.slice(-LAST_CHARACTERS))) this.receipts += 1;
      else this.last = line;
      buffer += line;
      if (buffer.length < CHUNK) continue;
      yield Buffer.from(buffer, 'utf8');
      buffer = '';
    }
    if (buffer !== '') yield Buffer.from(buffer, 'utf8');
  }

  async *count(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      this.bytes += chunk.length;
      yield chunk;
    }
  }

  trailer(): WrittenBundle {
    const { root, lines, complete, contradiction, kid } = (JSON.parse(this.last) as { body: EndBody }).body;
    return { root, lines, complete, contradiction, kid, bytes: this.bytes, receipts: this.receipts };
  }
}

/** The lines about it for people. */
export function describeBundle(
  path: string,
  { lines, bytes, root, complete, contradiction, kid, receipts }: WrittenBundle,
): string[] {
  return [
    `${path}: ${lines} lines, ${bytes} bytes, signed by ${kid}`,
    `root ${root}`,
    ...(receipts > 0 ? [`${receipts} ${receipts === 1 ? 'receipt' : 'receipts'} behind its trailer`] : []),
    ...(contradiction
      ? [
          `It contradicts itself at line ${contradiction.line} (${contradiction.rule}), and is signed as contradictory: see \`holdfast audit verify\`.`,
        ]
      : []),
    ...(complete ? [] : ['It is incomplete: each turn_end line says why.']),
  ];
}
