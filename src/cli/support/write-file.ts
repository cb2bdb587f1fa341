/** Writes a file as a whole or not at all, for its owner only: it contains what a turn has seen. */
import { randomBytes } from 'node:crypto';
import { rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { UsageError } from './exit';

/** @throws UsageError for a path that cannot be written */
export function writeFileWhole(path: string, text: string): Promise<void> {
  return appearWhole(path, (partial) => writeFile(partial, text, { flag: 'wx', mode: 0o600 }));
}

/**
 * Moves what `write` makes to `path` once it is finished; an existing file is replaced.
 * @throws UsageError for a path that cannot be written
 */
export async function appearWhole(path: string, write: (partial: string) => Promise<void>): Promise<void> {
  const whole = resolve(path);
  const partial = join(dirname(whole), `.${basename(whole)}.${randomBytes(6).toString('hex')}.partial`);
  try {
    await write(partial);
    await rename(partial, whole);
  } catch (error) {
    await rm(partial, { force: true });
    const { code, syscall } = error as NodeJS.ErrnoException;
    if (code !== undefined && ['open', 'write', 'fsync', 'rename'].includes(syscall ?? ''))
      throw new UsageError(`${path} cannot be written: ${code}.`);
    throw error;
  }
}
