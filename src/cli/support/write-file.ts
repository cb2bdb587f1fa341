/** Writes a file as a whole or not at all, for its owner only: it contains what a turn has seen. */
import { realpath, type FileHandle } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { replaceFile } from '../../store/files/atomic-file';
import { UsageError } from './exit';

/**
 * An existing file is replaced.
 * @param content its text, or what writes it
 * @throws UsageError for a path that cannot be written
 */
export async function writeFileWhole(path: string, content: string | ((file: FileHandle) => Promise<void>)): Promise<void> {
  const whole = resolve(path);
  try {
    await replaceFile(dirname(whole), whole, typeof content === 'string' ? Buffer.from(content) : content);
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException;
    if (code !== undefined && ['open', 'write', 'fsync', 'rename'].includes(syscall ?? ''))
      throw new UsageError(`${path} cannot be written: ${code}.`);
    throw error;
  }
}

/** @throws UsageError if the output is one of the files that are read, by whatever path */
export async function mustNotReplace(output: string, sources: readonly string[]): Promise<void> {
  const real = (path: string) => realpath(path).catch(() => resolve(path));
  const target = await real(output);
  for (const source of sources)
    if ((await real(source)) === target)
      throw new UsageError(`${output} would replace ${source}, which it is made of: name another file with -o.`);
}
