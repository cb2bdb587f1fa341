/** Hashes the content of a file, for rules that bind what a command reads. */
import { createHash } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { LARGEST_FILE } from './workspace';

const PLAIN = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/**
 * SHA-256 of a regular file that is reached without a link; null if there is none, or it is too large. Synchronous, because rules
 * are evaluated without an await.
 * @param root resolved
 * @param path from the root, with a leading `/`
 */
export function fileHash(root: string, path: string): string | null {
  const whole = join(root, path);
  let file: number | undefined;
  try {
    if (realpathSync.native(whole) !== whole) return null;
    file = openSync(whole, PLAIN);
    const stats = fstatSync(file);
    if (!stats.isFile() || stats.size > LARGEST_FILE) return null;
    return createHash('sha256').update(readFileSync(file)).digest('hex');
  } catch {
    return null; // no such file, or one that this process may not read
  } finally {
    if (file !== undefined) closeSync(file);
  }
}
