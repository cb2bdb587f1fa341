/** A file that appears whole or not at all. */
import { randomBytes } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';

/** @returns what the lines end with */
export async function writeWhole<T>(path: string, lines: AsyncGenerator<string, T>): Promise<T> {
  const temp = `${path}.${process.pid}-${randomBytes(4).toString('hex')}.part`;
  const file = await open(temp, 'wx', 0o600);
  try {
    for (;;) {
      const next = await lines.next();
      if (next.done) {
        await file.sync();
        await rename(temp, path);
        return next.value;
      }
      await file.write(next.value);
    }
  } finally {
    await file.close();
    await rm(temp, { force: true });
  }
}
