/**
 * Content-addressed objects as files: the canonical JSON of each is in a file of `objects/` that is named by its SHA-256. Objects
 * that are stored together share one file, with a hard link for each of them: a block is followed by its parts, line by line, and
 * the blocks of a step follow each other. Also files that tools made, under the SHA-256 of their bytes.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ObjectLines, Objects } from '../core/content-store';
import { StoreError } from '../store';
import type { TrailEntry } from '../core/trail';
import { hasCode, makeDirs, replaceFile } from './atomic-file';
import { NewFiles } from './new-files';
import type { FileTrail } from './file-trail';
import { isHash, sha256Hex } from '../../shared/json/sha256';

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
   * An existing name may be of a file that a dying writer left half done: the file is replaced, by the same content if it was
   * whole. The trail is written last, so that it never names a block that is missing.
   */
  async put(objects: ObjectLines[], trail: TrailEntry[]): Promise<void> {
    const bytes = bytesOf(objects.flatMap((object) => object.lines));
    const existing = await this.files.add(
      objects.map((object) => object.hash),
      bytes,
    );
    for (const { hash, lines } of objects) {
      if (existing.includes(hash)) await replaceFile(this.tempDir, join(this.dir, hash), bytesOf(lines));
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
    const objects: ObjectLines[] = [];
    for (let start = 0; start < hashes.length; start += GROUP) {
      const group = hashes.slice(start, start + GROUP);
      const read = await Promise.allSettled(group.map((hash) => this.get(hash)));
      for (const [index, one] of read.entries())
        if (one.status === 'fulfilled') objects.push({ hash: group[index]!, lines: one.value.lines });
    }
    return objects;
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

// Files that tools made, as they are: each under the SHA-256 of its bytes in `bytes/`. Bytes that are read are hashed again, so
// that a damaged file is never served as the one that was asked for.

export class FileBytes {
  private constructor(
    private readonly dir: string,
    private readonly tempDir: string,
  ) {}

  static async open(root: string, tempDir: string): Promise<FileBytes> {
    await makeDirs(root, ['bytes']);
    return new FileBytes(join(root, 'bytes'), tempDir);
  }

  /** @returns the SHA-256; once it resolves, the bytes survive a power cut */
  async put(bytes: Uint8Array): Promise<string> {
    const hash = hashOf(bytes);
    // An existing file is written again: with the same content, or over a damaged one.
    await replaceFile(this.tempDir, join(this.dir, hash), bytes);
    return hash;
  }

  /** @throws StoreError `not_found` or `damaged`, naming the hash */
  async get(hash: string): Promise<Buffer> {
    // Before any path is built: a hash may come from outside.
    if (!isHash(hash)) throw new StoreError('not_found', `No file ${JSON.stringify(String(hash).slice(0, 80))}`);
    const bytes = await readFile(join(this.dir, hash)).catch((error: unknown) => {
      if (hasCode(error, 'ENOENT')) throw new StoreError('not_found', `No file ${hash}: bytes/${hash} is missing`);
      throw error;
    });
    const actual = hashOf(bytes);
    if (actual !== hash)
      throw new StoreError('damaged', `File ${hash} is damaged: bytes/${hash} hashes to ${actual}. Restore it from a backup`);
    return bytes;
  }
}

function hashOf(bytes: Uint8Array): string {
  return sha256Hex(bytes);
}
