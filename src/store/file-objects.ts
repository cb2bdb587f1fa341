/**
 * Content-addressed objects: the canonical JSON of each, in a file of `objects/` that is named by its
 * SHA-256. What is stored together shares one file, which then has a name for each: a block is followed
 * by its parts, line by line, and the blocks of a step follow each other.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Json } from '../shared/json';
import { parseJson } from '../shared/parse-json';
import { hasCode, makeDirs, replaceFile } from './atomic-file';
import { NewFiles } from './new-files';
import { isHash } from './object-shapes';
import { sha256 } from './seal';
import { StoreError } from './store';

/** An object with the lines that belong to it: a block with its parts, or a part alone. */
export interface ObjectLines {
  hash: string;
  lines: string[];
}

export class FileObjects {
  private readonly files: NewFiles;

  private constructor(
    private readonly dir: string,
    private readonly tempDir: string,
  ) {
    this.files = new NewFiles(dir);
  }

  static async open(root: string, tempDir: string): Promise<FileObjects> {
    await makeDirs(root, ['objects']);
    return new FileObjects(join(root, 'objects'), tempDir);
  }

  /**
   * Stores objects together. Once it resolves they outlive a power cut. A name that is taken may stand
   * for a file that a dying writer left half done: it is replaced, by the same content if it was whole.
   */
  async put(objects: ObjectLines[]): Promise<void> {
    const bytes = bytesOf(objects.flatMap((object) => object.lines));
    const taken = await this.files.add(
      objects.map((object) => object.hash),
      bytes,
    );
    for (const { hash, lines } of objects) {
      if (taken.includes(hash)) await replaceFile(this.tempDir, join(this.dir, hash), bytesOf(lines));
    }
  }

  /**
   * The lines of the file that holds an object, unchecked.
   * @throws StoreError `not_found`, naming the hash and the file
   */
  async get(hash: string): Promise<string[]> {
    // Before any path is built: a ref may come from a signal or a bundle.
    if (!isHash(hash))
      throw new StoreError('not_found', `No object ${quoted(hash)}: a reference is 64 lower-case hex characters`);
    const text = await readIfThere(join(this.dir, hash));
    if (text === null) {
      throw new StoreError('not_found', `No object ${hash}: objects/${hash} is missing. Is HOLDFAST_STORE the store that this turn ran with? If so, restore the file from a backup`); // prettier-ignore
    }
    return text.split('\n');
  }

  /** For what is there but is not what its name says. */
  fault(hash: string, why: string): StoreError {
    return new StoreError('damaged', `Object ${hash} is damaged: in objects/${hash} ${why}. Restore the file from a backup; what does not refer to it is unaffected`); // prettier-ignore
  }

  /** A line of an object's file as JSON, once its hash is what it has to be. */
  parse(object: string, expected: string, line: string | undefined): Json {
    if (line === undefined) throw this.fault(object, `${expected} is missing`);
    const actual = sha256(line);
    if (actual !== expected) throw this.fault(object, `${expected} hashes to ${actual}`);
    try {
      return parseJson(line);
    } catch (error) {
      throw this.fault(object, `${expected} was stored by something else: ${(error as Error).message}`);
    }
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

/** What came from outside, short and on one line. */
function quoted(value: unknown): string {
  return JSON.stringify(String(value).slice(0, 80));
}
