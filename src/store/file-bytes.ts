/**
 * Files that tools made, as they are: each under the SHA-256 of its bytes in `bytes/`. What is read is hashed
 * again, so that a damaged file is never served as the one that was asked for.
 */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode, makeDirs, replaceFile } from './atomic-file';
import { isHash } from './object-shapes';
import { StoreError } from './store';

export class FileBytes {
  private constructor(
    private readonly dir: string,
    private readonly tempDir: string,
  ) {}

  static async open(root: string, tempDir: string): Promise<FileBytes> {
    await makeDirs(root, ['bytes']);
    return new FileBytes(join(root, 'bytes'), tempDir);
  }

  /** @returns the SHA-256; once it resolves the bytes outlive a power cut */
  async put(bytes: Uint8Array): Promise<string> {
    const hash = hashOf(bytes);
    // Written again if it is there: by the same content, or over one that is damaged.
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
  return createHash('sha256').update(bytes).digest('hex');
}
