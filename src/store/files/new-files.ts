/**
 * New files of one directory, written in groups. While one group waits for the disk the next one
 * gathers, and then goes to disk as a whole: one wait for all of it, however many turns run at once.
 *
 * A name may appear before its content is flushed, so a power cut can leave less than the whole under a
 * name that nobody has been told yet. That is for names that are hashes of their content: whoever reads
 * checks it, and whoever stores it again replaces it.
 */
import { closeSync, fsync, linkSync, openSync, writeSync } from 'node:fs';
import { join, dirname } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { promisify } from 'node:util';
import { randomBytes } from 'node:crypto';
import { link, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';

interface NewFile {
  names: string[];
  bytes: Uint8Array;
  resolve(taken: string[]): void;
  reject(error: unknown): void;
}

/** A file that has been created and waits for its flush. */
interface CreatedFile extends NewFile {
  file: number | null;
  taken: string[];
}

const flush = promisify(fsync);
const PRIVATE_FILE = 0o600;
/** Files open at once. */
const GROUP = 64;

export class NewFiles {
  private waiting: NewFile[] = [];
  private writing = false;
  /** The folder, kept open for its flushes; opened again after an error. */
  private folder: number | null = null;

  constructor(private readonly dir: string) {}

  /**
   * Adds one file under all of these names; none of them may be the name of another content.
   * @returns the names that were taken, and were left as they are; the others are on disk
   */
  add(names: string[], bytes: Uint8Array): Promise<string[]> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ names, bytes, resolve, reject });
      if (!this.writing) void this.writeAll();
    });
  }

  private async writeAll(): Promise<void> {
    this.writing = true;
    await setImmediate(); // what is stored in the same breath goes together
    while (this.waiting.length > 0) await this.writeGroup(this.waiting.splice(0, GROUP));
    this.writing = false;
  }

  /** Creating touches the page cache only, and is done at once; one flush of names serves the whole group. */
  private async writeGroup(group: NewFile[]): Promise<void> {
    const created = group.flatMap((file): CreatedFile[] => this.create(file));
    const [names, ...contents] = await Promise.allSettled([
      this.flushNames(),
      ...created.map(({ file }) => (file === null ? undefined : flush(file))),
    ]);
    for (const [index, { file, taken, resolve, reject }] of created.entries()) {
      if (file !== null) closeSync(file);
      const failed = [names, contents[index]!].find((flushed) => flushed.status === 'rejected');
      if (failed) reject(failed.reason);
      else resolve(taken);
    }
  }

  private async flushNames(): Promise<void> {
    if (process.platform === 'win32') return; // it cannot, and does it by itself
    this.folder ??= openSync(this.dir, 'r');
    await flush(this.folder);
  }

  /** An error is told to whoever wanted the file; the rest of the group goes on. */
  private create(wanted: NewFile): CreatedFile[] {
    let file: number | null = null;
    try {
      const taken: string[] = [];
      let first: string | null = null;
      for (const name of wanted.names) {
        if (first === null) file = createNew(join(this.dir, name), wanted.bytes);
        const added = first === null ? file !== null : linkNew(join(this.dir, first), join(this.dir, name));
        if (added) first ??= name;
        else taken.push(name);
      }
      return [{ ...wanted, file, taken }];
    } catch (error) {
      if (file !== null) closeSync(file);
      if (this.folder !== null) closeSync(this.folder);
      this.folder = null; // it may have been moved away
      wanted.reject(error);
      return [];
    }
  }
}

/** The new file, open and written, or null if the name is taken. */
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

// Files that appear whole or not at all, whatever dies when. The bytes go to a temporary file and are flushed; then one system
// call makes them visible under their name; then the directory is flushed, so that the name outlives a power cut. Temporary files
// live in one directory of the same file system: a killed writer leaves at most one there, never under a name that a reader looks
// for.

const PRIVATE_DIR = 0o700;
/** Leftovers older than this belong to no living writer. */
const STALE_TEMP_MS = 3_600_000;

/** Writes or replaces a file. For content that is the same whoever writes it. */
export async function replaceFile(tempDir: string, path: string, bytes: Uint8Array): Promise<void> {
  const temp = await writeTemp(tempDir, bytes);
  await rename(temp, path);
  await syncDir(dirname(path));
}

/**
 * Creates a file only if there is none: `link` fails if the name is taken, and shows the whole content
 * at once (an `O_EXCL` open would show an empty file first, and keep it if the writer died there).
 * @returns false if the file was there already; what is in it is on disk either way
 */
export async function createFile(tempDir: string, path: string, bytes: Uint8Array): Promise<boolean> {
  const temp = await writeTemp(tempDir, bytes);
  try {
    await link(temp, path);
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    if (hasCode(error, 'EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS')) {
      throw new Error(`The file system of ${dirname(path)} has no hard links, which claims need; put the store on another one`, {
        cause: error,
      });
    }
    throw error;
  } finally {
    await rm(temp, { force: true });
    await syncDir(dirname(path));
  }
}

/** Makes directories of one parent, readable by this user only, and flushes their names. The parent must exist. */
export async function makeDirs(parent: string, names: string[]): Promise<void> {
  await Promise.all(
    names.map((name) =>
      mkdir(join(parent, name), { mode: PRIVATE_DIR }).catch((error: unknown) => {
        if (!hasCode(error, 'EEXIST')) throw error;
      }),
    ),
  );
  // Flushed even if another process made them: that one may not have come to its own flush yet.
  await syncDir(parent);
}

/** Flushes a directory's names. Windows cannot, and does it by itself. */
export async function syncDir(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Removes what killed writers left behind, once it is too old to belong to a living one. */
export async function sweepTemp(tempDir: string, now = Date.now()): Promise<void> {
  for (const name of await readdir(tempDir)) {
    const path = join(tempDir, name);
    const info = await stat(path).catch(() => null); // another process may sweep too
    if (info !== null && now - info.mtimeMs > STALE_TEMP_MS) await rm(path, { force: true });
  }
}

/** What is in a directory; nothing where there is none. */
export async function namesIn(dir: string): Promise<string[]> {
  try {
    return await readdir(dir);
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return [];
    throw error;
  }
}

/** True for a Node system error with one of these codes. */
export function hasCode(error: unknown, ...codes: string[]): boolean {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' && codes.includes(code);
}

async function writeTemp(tempDir: string, bytes: Uint8Array): Promise<string> {
  const path = join(tempDir, `${process.pid}-${randomBytes(12).toString('hex')}`);
  const handle = await open(path, 'wx', PRIVATE_FILE);
  try {
    await handle.writeFile(bytes);
    await handle.sync();
  } finally {
    await handle.close();
  }
  return path;
}
