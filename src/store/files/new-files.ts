/**
 * Writes new files of one directory in groups. While one group waits for the disk, the next one gathers, and then goes to disk as a
 * whole: one wait for all of it, however many turns run at once.
 *
 * A name may appear before its content is flushed, so a power cut can leave an incomplete file under a name that no caller has
 * received yet. So names must be hashes of their content: readers check it, and storing the content again replaces the file.
 */
import { closeSync, fsync, linkSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { promisify } from 'node:util';
import { hasCode } from './atomic-file';

interface NewFile {
  names: string[];
  bytes: Uint8Array;
  resolve(existing: string[]): void;
  reject(error: unknown): void;
}

/** A file that has been created and waits for its flush. */
interface CreatedFile extends NewFile {
  file: number | null;
  existing: string[];
}

const flush = promisify(fsync);
const PRIVATE_FILE = 0o600;
/** Most files open at once. */
const GROUP = 64;

export class NewFiles {
  private waiting: NewFile[] = [];
  private writing = false;
  /** The folder, kept open for its flushes; reopened after an error. */
  private folder: number | null = null;

  constructor(private readonly dir: string) {}

  /**
   * Adds one file under all of these names. None of them may be the name of other content.
   * @returns the names that existed, and were left as they are; the others are on disk
   */
  add(names: string[], bytes: Uint8Array): Promise<string[]> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ names, bytes, resolve, reject });
      if (!this.writing) void this.writeAll();
    });
  }

  private async writeAll(): Promise<void> {
    this.writing = true;
    await setImmediate(); // files that are stored at the same moment share a group
    while (this.waiting.length > 0) await this.writeGroup(this.waiting.splice(0, GROUP));
    this.writing = false;
  }

  /** Creating touches the page cache only, so it is synchronous; one flush of names serves the whole group. */
  private async writeGroup(group: NewFile[]): Promise<void> {
    const files = group.flatMap((file): CreatedFile[] => this.create(file));
    const [names, ...contents] = await Promise.allSettled([
      this.flushNames(),
      ...files.map(({ file }) => (file === null ? undefined : flush(file))),
    ]);
    for (const [index, { file, existing, resolve, reject }] of files.entries()) {
      if (file !== null) closeSync(file);
      const failure = [names, contents[index]!].find((result) => result.status === 'rejected');
      if (failure) reject(failure.reason);
      else resolve(existing);
    }
  }

  private async flushNames(): Promise<void> {
    if (process.platform === 'win32') return; // Windows cannot, and does it by itself
    this.folder ??= openSync(this.dir, 'r');
    await flush(this.folder);
  }

  /** An error goes to the caller that added the file; the rest of the group continues. */
  private create(newFile: NewFile): CreatedFile[] {
    let file: number | null = null;
    try {
      const existing: string[] = [];
      let first: string | null = null;
      for (const name of newFile.names) {
        if (first === null) file = createNew(join(this.dir, name), newFile.bytes);
        const isNew = first === null ? file !== null : linkNew(join(this.dir, first), join(this.dir, name));
        if (isNew) first ??= name;
        else existing.push(name);
      }
      return [{ ...newFile, file, existing }];
    } catch (error) {
      if (file !== null) closeSync(file);
      if (this.folder !== null) closeSync(this.folder);
      this.folder = null; // the folder may have been moved away
      newFile.reject(error);
      return [];
    }
  }
}

/** The new file, open and written; null: the name is taken. */
function createNew(path: string, bytes: Uint8Array): number | null {
  const file = unlessTaken(() => openSync(path, 'wx', PRIVATE_FILE));
  if (file === null) return null;
  try {
    for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at);
    return file;
  } catch (error) {
    closeSync(file);
    throw error;
  }
}

function linkNew(from: string, to: string): boolean {
  return unlessTaken(() => (linkSync(from, to), true)) ?? false;
}

function unlessTaken<T>(create: () => T): T | null {
  try {
    return create();
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return null;
    throw error;
  }
}
