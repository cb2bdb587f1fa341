/** Can files be written right now? For readiness: a worker that cannot write should be given nothing to do. */
import { randomBytes } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Writes and removes a small file beside the store's other temporary ones.
 * @throws Error the system's, e.g. ENOSPC or EACCES
 */
export async function checkWritable(tempDir: string): Promise<void> {
  const path = join(tempDir, `ready-${process.pid}-${randomBytes(6).toString('hex')}`);
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile('ready');
    await file.sync();
  } finally {
    await file.close();
    await rm(path, { force: true });
  }
}
