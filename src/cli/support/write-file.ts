/** A file that is there whole or not at all, and belongs to its owner only: it holds what a turn has seen. */
import { randomBytes } from 'node:crypto';
import { rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { UsageError } from './exit';

/** @throws UsageError for a path that cannot be written */
export async function writeFileWhole(path: string, text: string): Promise<void> {
  const whole = resolve(path);
  const partial = join(dirname(whole), `.${basename(whole)}.${randomBytes(6).toString('hex')}.partial`);
  try {
    await writeFile(partial, text, { flag: 'wx', mode: 0o600 });
    await rename(partial, whole);
  } catch (error) {
    await rm(partial, { force: true });
    throw new UsageError(`${path} cannot be written: ${(error as NodeJS.ErrnoException).code ?? (error as Error).message}.`);
  }
}
