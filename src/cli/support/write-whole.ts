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
 * @throws UsageError for a path that cannot be written
 */
export async function writeWhole(lines: AsyncIterable<string>, path: string): Promise<WrittenBundle> {
  const watched = new WriteMonitor();
  if (path === '-') {
    await pipeline(watched.over(lines), process.stdout, { end: false });
    return watched.trailer();
  }
  await writeFileWhole(path, async (file) => {
    for await (const chunk of watched.over(lines)) await file.appendFile(chunk);
  });
  return watched.trailer();
}

/** Small lines are joined up to this size. */
const CHUNK = 64 * 1024;

class WriteMonitor {
  private bytes = 0;
  private last = '';

  async *over(lines: AsyncIterable<string>): AsyncGenerator<Buffer> {
    let held = '';
    for await (const line of lines) {
      this.last = line;
      held += line;
      if (held.length < CHUNK) continue;
      yield this.encodeAndCount(held);
      held = '';
    }
    if (held !== '') yield this.encodeAndCount(held);
  }

  trailer(): WrittenBundle {
    const { root, lines, complete, contradiction, kid } = (JSON.parse(this.last) as { body: EndBody }).body;
    return { root, lines, complete, contradiction, kid, bytes: this.bytes };
  }

  private encodeAndCount(text: string): Buffer {
    const chunk = Buffer.from(text, 'utf8');
    this.bytes += chunk.length;
    return chunk;
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
