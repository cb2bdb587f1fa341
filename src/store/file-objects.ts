/**
 * Content-addressed objects: the canonical bytes of a value, in `objects/ab/cdef…`, named by their own
 * SHA-256. Every read hashes what it read, so damage is found by the first who looks.
 */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { canonical } from '../shared/canonical';
import type { Json } from '../shared/json';
import { parseJson } from '../shared/parse-json';
import { hasCode, makeDirs, replaceFile, syncDir } from './atomic-file';
import { isHash } from './object-shapes';
import { StoreError } from './store';

export class FileObjects {
  private constructor(
    private readonly dir: string,
    private readonly tempDir: string,
  ) {}

  /** Makes the 256 directories at once, so that no later write has to flush more than its own. */
  static async open(dir: string, tempDir: string): Promise<FileObjects> {
    await makeDirs(dirname(dir), [basename(dir)]);
    await makeDirs(
      dir,
      Array.from({ length: 256 }, (_, i) => i.toString(16).padStart(2, '0')),
    );
    return new FileObjects(dir, tempDir);
  }

  /**
   * @returns the hash. An object that is there is not written again; a damaged one is replaced, since
   *   the right bytes are at hand
   * @throws CanonicalError for a value that has no canonical form
   */
  async put(value: Json): Promise<string> {
    const bytes = Buffer.from(canonical(value), 'utf8');
    const hash = sha256(bytes);
    const { path, dir } = this.place(hash);
    const present = await readIfThere(path);
    if (present !== null && bytes.equals(present)) {
      // Whoever wrote it may not have flushed the name yet, and our caller is about to rely on it.
      await syncDir(dir);
    } else {
      await replaceFile(this.tempDir, path, bytes);
    }
    return hash;
  }

  /** @throws StoreError `not_found` or `damaged`, naming the hash and the file */
  async get(hash: string): Promise<Json> {
    // Before any path is built: a ref may come from a signal or a bundle.
    if (!isHash(hash))
      throw new StoreError('not_found', `No object ${quoted(hash)}: a reference is 64 lower-case hex characters`);
    const { path, name } = this.place(hash);
    const bytes = await readIfThere(path);
    if (bytes === null) {
      throw new StoreError('not_found', `No object ${hash}: ${name} is missing. Is HOLDFAST_STORE the store that this turn ran with? If so, restore the file from a backup`); // prettier-ignore
    }
    const actual = sha256(bytes);
    if (actual !== hash) {
      throw new StoreError('damaged', `Object ${hash} is damaged: ${name} hashes to ${actual}. Restore the file from a backup; what does not refer to it is unaffected`); // prettier-ignore
    }
    return this.parse(hash, bytes);
  }

  /** For an object that is whole but not what it should be. */
  fault(code: 'not_found' | 'damaged', hash: string, why: string): StoreError {
    return new StoreError(code, `Object ${hash} (${this.place(hash).name}) cannot be used: ${why}`);
  }

  private parse(hash: string, bytes: Buffer): Json {
    try {
      return parseJson(bytes.toString('utf8'));
    } catch (error) {
      throw this.fault('damaged', hash, `it was stored by something else: ${(error as Error).message}`);
    }
  }

  private place(hash: string): { path: string; dir: string; name: string } {
    const head = hash.slice(0, 2);
    const tail = hash.slice(2);
    return { path: join(this.dir, head, tail), dir: join(this.dir, head), name: `objects/${head}/${tail}` };
  }
}

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

async function readIfThere(path: string): Promise<Buffer | null> {
  try {
    return await readFile(path);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null;
    throw error;
  }
}

/** What came from outside, short and on one line. */
function quoted(value: unknown): string {
  return JSON.stringify(String(value).slice(0, 80));
}
