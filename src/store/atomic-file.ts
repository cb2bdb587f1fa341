/**
 * Files that appear whole or not at all, whatever dies when. The bytes go to a temporary file and are
 * flushed; then one system call makes them visible under their name; then the directory is flushed, so
 * that the name outlives a power cut. Temporary files live in one directory of the same file system:
 * a killed writer leaves at most one there, never under a name that a reader looks for.
 *
 * Only the flushes wait for a disk, and only they go through the thread pool. The other calls touch the
 * page cache: made directly they take a few microseconds, a trip through the pool ten times as many.
 */
import { randomBytes } from 'node:crypto';
import { closeSync, fsync, linkSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const PRIVATE_FILE = 0o600;
const PRIVATE_DIR = 0o700;
const flush = promisify(fsync);
/** Leftovers older than this belong to no living writer. */
const STALE_TEMP_MS = 3_600_000;

/**
 * Adds a file whose name is the hash of its content. Its name appears before anything is flushed, so
 * that both flushes wait for the disk together: a power cut in between may leave less than the whole
 * under a name that nobody has been told yet.
 * @returns false if the name is taken: nothing has changed then
 */
export async function addFile(tempDir: string, path: string, bytes: Uint8Array): Promise<boolean> {
  const temp = tempName(tempDir);
  const file = openSync(temp, 'wx', PRIVATE_FILE);
  try {
    writeAll(file, bytes);
    if (!linkNew(temp, path)) return false;
    await Promise.all([flush(file), syncDir(dirname(path))]);
    return true;
  } finally {
    closeSync(file);
    rmSync(temp, { force: true });
  }
}

/** Writes or replaces a file. For content that is the same whoever writes it. */
export async function replaceFile(tempDir: string, path: string, bytes: Uint8Array): Promise<void> {
  const temp = await writeTemp(tempDir, bytes);
  renameSync(temp, path);
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
    return linkNew(temp, path);
  } finally {
    rmSync(temp, { force: true });
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

/** Flushes a file that somebody else wrote, and its name. */
export async function syncFile(path: string): Promise<void> {
  await Promise.all([syncPath(path), syncDir(dirname(path))]);
}

/** Flushes a directory's names. Windows cannot, and does it by itself. */
export async function syncDir(path: string): Promise<void> {
  if (process.platform !== 'win32') await syncPath(path);
}

async function syncPath(path: string): Promise<void> {
  const file = openSync(path, 'r');
  try {
    await flush(file);
  } finally {
    closeSync(file);
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

/** True for a Node system error with one of these codes. */
export function hasCode(error: unknown, ...codes: string[]): boolean {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' && codes.includes(code);
}

async function writeTemp(tempDir: string, bytes: Uint8Array): Promise<string> {
  const path = tempName(tempDir);
  const file = openSync(path, 'wx', PRIVATE_FILE);
  try {
    writeAll(file, bytes);
    await flush(file);
  } finally {
    closeSync(file);
  }
  return path;
}

function tempName(tempDir: string): string {
  return join(tempDir, `${process.pid}-${randomBytes(12).toString('hex')}`);
}

function writeAll(file: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at);
}

/** False if the name is taken. */
function linkNew(temp: string, path: string): boolean {
  try {
    linkSync(temp, path);
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    if (hasCode(error, 'EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS')) {
      throw new Error(`The file system of ${dirname(path)} has no hard links, which the store needs; put it on another one`, {
        cause: error,
      });
    }
    throw error;
  }
}
