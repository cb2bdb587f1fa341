/**
 * Content-addressed objects: a file `objects/ab/cdef…` holds the canonical JSON of one object, named by
 * its SHA-256. The file of a block has its parts on the following lines, in the order of the block, so
 * that a block and what it names are written, flushed and read at once.
 */
import { readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Json } from '../shared/json';
import { parseJson } from '../shared/parse-json';
import { addFile, hasCode, makeDirs, replaceFile, syncFile } from './atomic-file';
import { isHash } from './object-shapes';
import { sha256 } from './seal';
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

  /** Writes an object. One that is there is not written again; a damaged one is replaced, since the right bytes are at hand. */
  async put(hash: string, lines: string[]): Promise<void> {
    const { path } = this.place(hash);
    const bytes = Buffer.from(lines.join('\n'), 'utf8');
    if (await addFile(this.tempDir, path, bytes)) return;
    const present = await readFile(path);
    // Whoever wrote it may not have flushed it yet, and our caller is about to rely on it.
    if (bytes.equals(present)) await syncFile(path);
    else await replaceFile(this.tempDir, path, bytes);
  }

  /**
   * The lines of an object's file; the first is checked against the hash.
   * @throws StoreError `not_found` or `damaged`, naming the hash and the file
   */
  async get(hash: string): Promise<[string, ...string[]]> {
    // Before any path is built: a ref may come from a signal or a bundle.
    if (!isHash(hash))
      throw new StoreError('not_found', `No object ${quoted(hash)}: a reference is 64 lower-case hex characters`);
    const { path, name } = this.place(hash);
    const text = await readIfThere(path);
    if (text === null) {
      throw new StoreError('not_found', `No object ${hash}: ${name} is missing. Is HOLDFAST_STORE the store that this turn ran with? If so, restore the file from a backup`); // prettier-ignore
    }
    const [object, ...rest] = text.split('\n') as [string, ...string[]];
    this.check(hash, hash, object);
    return [object, ...rest];
  }

  /** @throws StoreError `damaged` when a line of an object's file is not what its hash says */
  check(object: string, expected: string, line: string): void {
    const actual = sha256(line);
    if (actual === expected) return;
    const what = expected === object ? `Object ${object}` : `Part ${expected} of block ${object}`;
    throw new StoreError('damaged', `${what} is damaged: ${this.place(object).name} hashes to ${actual}. Restore the file from a backup; what does not refer to it is unaffected`); // prettier-ignore
  }

  /** For an object that is whole but not what it should be. */
  fault(code: 'not_found' | 'damaged', hash: string, why: string): StoreError {
    return new StoreError(code, `Object ${hash} (${this.place(hash).name}) cannot be used: ${why}`);
  }

  parse(hash: string, line: string): Json {
    try {
      return parseJson(line);
    } catch (error) {
      throw this.fault('damaged', hash, `it was stored by something else: ${(error as Error).message}`);
    }
  }

  private place(hash: string): { path: string; name: string } {
    const head = hash.slice(0, 2);
    const tail = hash.slice(2);
    return { path: join(this.dir, head, tail), name: `objects/${head}/${tail}` };
  }
}

async function readIfThere(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null;
    throw error;
  }
}

/** What came from outside, short and on one line. */
function quoted(value: unknown): string {
  return JSON.stringify(String(value).slice(0, 80));
}
