/** Writes a bundle to a file, as a whole or not at all. */
import { pipeline } from 'node:stream/promises';
import type { EndBody } from '../../audit/format/lines';
import { writeFileWhole } from './write-file';

/** What the bundle's trailer says, and the bundle's size. */
export interface WrittenBundle extends Pick<EndBody, 'root' | 'lines' | 'complete' | 'contradiction' | 'kid'> {
  bytes: number;
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

/** Small lines are joined up to this size. */
const CHUNK = 64 * 1024;

class WriteMonitor {
  private bytes = 0;
  private last = '';

  async *over(lines: AsyncIterable<string>): AsyncGenerator<Buffer> {
    let buffer = '';
    for await (const line of lines) {
      this.last = line;
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
    return { root, lines, complete, contradiction, kid, bytes: this.bytes };
  }
}

/** The lines about it for people. */
export function describeBundle(path: string, { lines, bytes, root, complete, contradiction, kid }: WrittenBundle): string[] {
  return [
    `${path}: ${lines} lines, ${bytes} bytes, signed by ${kid}`,
    `root ${root}`,
    ...(contradiction
      ? [
          `It contradicts itself at line ${contradiction.line} (${contradiction.rule}), and is signed as contradictory: see \`holdfast audit verify\`.`,
        ]
      : []),
    ...(complete ? [] : ['It is incomplete: each turn_end line says why.']),
  ];
}
