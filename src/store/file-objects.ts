/**
 * Content-addressed objects: the canonical JSON of each, in a file of `objects/` that is named by its
 * SHA-256. What is stored together shares one file, which then has a name for each: a block is followed
 * by its parts, line by line, and the blocks of a step follow each other.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode, makeDirs, replaceFile } from './atomic-file';
import type { ObjectLines, Objects } from './content-store';
import type { FileTrail } from './file-trail';
import { NewFiles } from './new-files';
import { StoreError } from './store';
import type { TrailEntry } from './trail';

/** Files read at once. */
const GROUP = 32;

export class FileObjects implements Objects {
  private readonly files: NewFiles;

  private constructor(
    private readonly dir: string,
    private readonly tempDir: string,
    private readonly trail: FileTrail,
  ) {
    this.files = new NewFiles(dir);
  }

  static async open(root: string, tempDir: string, trail: FileTrail): Promise<FileObjects> {
    await makeDirs(root, ['objects']);
    return new FileObjects(join(root, 'objects'), tempDir, trail);
  }

  /**
   * A name that is taken may stand for a file that a dying writer left half done: it is replaced, by the same content if it
   * was whole. The trail comes last: it tells of nothing that is not there.
   */
  async put(objects: ObjectLines[], trail: TrailEntry[]): Promise<void> {
    const bytes = bytesOf(objects.flatMap((object) => object.lines));
    const taken = await this.files.add(
      objects.map((object) => object.hash),
      bytes,
    );
    for (const { hash, lines } of objects) {
      if (taken.includes(hash)) await replaceFile(this.tempDir, join(this.dir, hash), bytesOf(lines));
    }
    await this.trail.append(trail);
  }

  async get(hash: string): Promise<{ lines: string[]; ahead: ObjectLines[] }> {
    const text = await readIfThere(join(this.dir, hash));
    if (text === null) {
      throw new StoreError('not_found', `No object ${hash}: objects/${hash} is missing. Is HOLDFAST_STORE the store that this turn ran with? If so, restore the file from a backup`); // oxfmt-ignore
    }
    return { lines: text.split('\n'), ahead: [] };
  }

  async getEach(hashes: string[]): Promise<ObjectLines[]> {
    const found: ObjectLines[] = [];
    for (let start = 0; start < hashes.length; start += GROUP) {
      const group = hashes.slice(start, start + GROUP);
      const read = await Promise.allSettled(group.map((hash) => this.get(hash)));
      for (const [index, one] of read.entries())
        if (one.status === 'fulfilled') found.push({ hash: group[index]!, lines: one.value.lines });
    }
    return found;
  }

  fault(hash: string, why: string): StoreError {
    return new StoreError('damaged', `Object ${hash} is damaged: in objects/${hash} ${why}. Restore the file from a backup; what does not refer to it is unaffected`); // oxfmt-ignore
  }
}

function bytesOf(lines: string[]): Buffer {
  return Buffer.from(lines.join('\n'), 'utf8');
}

async function readIfThere(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null;
    throw error;
  }
}
