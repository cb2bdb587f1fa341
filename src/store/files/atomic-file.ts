/**
 * Writes files that appear whole or not at all, even if a process dies. The bytes go to a temporary file and are flushed; then one
 * system call makes them visible under their name; then the directory is flushed, so that the name survives a power cut. Temporary
 * files are in one directory of the same file system: a killed writer leaves at most one there, never under a name that a reader
 * looks for.
 */
import { randomBytes } from 'node:crypto';
import { type FileHandle, link, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';

const PRIVATE_FILE = 0o600;
const PRIVATE_DIR = 0o700;
/** Temporary files older than this belong to no living writer. */
const STALE_TEMP_MS = 3_600_000;

/** The bytes of a file, or what writes them. */
type Content = Uint8Array | ((file: FileHandle) => Promise<void>);

/** Writes or replaces a file: of two writers at once the last one counts. @param mode who may read it; default: its owner */
export async function replaceFile(tempDir: string, path: string, content: Content, mode = PRIVATE_FILE): Promise<void> {
  const temp = await writeTemp(tempDir, content, mode);
  try {
    await rename(temp, path);
  } catch (error) {
    await rm(temp, { force: true });
    throw error;
  }
  await syncDir(dirname(path));
}

/**
 * Creates a file only if there is none: `link` fails if the name is taken, and shows the whole content at once (an `O_EXCL` open
 * would show an empty file first, which would stay if the writer died then).
 * @returns false if the file existed already; its content is on disk either way
 */
export async function createFile(tempDir: string, path: string, bytes: Uint8Array): Promise<boolean> {
  const temp = await writeTemp(tempDir, bytes, PRIVATE_FILE);
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

/**
 * Makes a directory, readable by this user only, unless it exists. Never makes its parents: where a store's disk is gone, nothing may
 * begin a second store in its place. Its name is not flushed.
 */
export async function makeDir(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: PRIVATE_DIR });
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
  }
}

/** Makes directories in one parent as `makeDir`, and flushes their names. */
export async function makeDirs(parent: string, names: string[]): Promise<void> {
  await Promise.all(names.map((name) => makeDir(join(parent, name))));
  // Flushed even if another process made them: that process may not have flushed them yet.
  await syncDir(parent);
}

/** Flushes a directory's names. Windows has no such call, and does it by itself. */
export async function syncDir(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Removes files that killed writers left behind, once they are too old to belong to a living one. */
export async function sweepTemp(tempDir: string, now = Date.now()): Promise<void> {
  for (const name of await readdir(tempDir)) {
    const path = join(tempDir, name);
    const info = await stat(path).catch(() => null); // another process may sweep too
    if (info !== null && now - info.mtimeMs > STALE_TEMP_MS) await rm(path, { force: true });
  }
}

/** The names in a directory; none if it does not exist. */
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

async function writeTemp(tempDir: string, content: Content, mode: number): Promise<string> {
  const path = join(tempDir, `.${process.pid}-${randomBytes(12).toString('hex')}.partial`);
  const file = await open(path, 'wx', mode);
  try {
    await (typeof content === 'function' ? content(file) : file.writeFile(content));
    await file.sync();
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  } finally {
    await file.close();
  }
  return path;
}
