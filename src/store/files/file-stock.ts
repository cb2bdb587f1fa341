/** The objects, or the files, of a folder, for garbage collection: a name's age is that of its file. */
import { randomBytes } from 'node:crypto';
import { link, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isHash } from '../../shared/json/sha256';
import type { Stock, StockItem } from '../collect/stock';
import { hasCode, namesIn, syncDir } from './atomic-file';

/** Files looked at, or deleted, at once. */
const GROUP = 64;

export class FileStock implements Stock {
  constructor(
    private readonly dir: string,
    private readonly tempDir: string,
  ) {}

  async *list(): AsyncGenerator<StockItem> {
    const names = (await namesIn(this.dir)).filter(isHash);
    for (let start = 0; start < names.length; start += GROUP) {
      const items = await Promise.all(names.slice(start, start + GROUP).map((name) => this.item(name)));
      yield* items.filter((item) => item !== null);
    }
  }

  async remove(hashes: string[], before: number): Promise<number> {
    let removed = 0;
    for (let start = 0; start < hashes.length; start += GROUP) {
      const answers = await Promise.all(hashes.slice(start, start + GROUP).map((hash) => this.removeOne(hash, before)));
      removed += answers.filter(Boolean).length;
    }
    await syncDir(this.dir);
    return removed;
  }

  private async item(hash: string): Promise<StockItem | null> {
    const info = await stat(join(this.dir, hash)).catch(unlessGone);
    return info && { hash, storedAt: info.mtimeMs, bytes: Math.ceil(info.size / info.nlink) };
  }

  /**
   * The file is moved away, and its age looked at then: a writer that stores the object again either replaced it before, and it is
   * put back, or finds the name free.
   */
  private async removeOne(hash: string, before: number): Promise<boolean> {
    const path = join(this.dir, hash);
    const aside = join(this.tempDir, `collected-${process.pid}-${randomBytes(12).toString('hex')}`);
    if ((await rename(path, aside).catch(unlessGone)) === null) return false;
    const { mtimeMs } = await stat(aside);
    const isOld = mtimeMs < before;
    if (!isOld)
      await link(aside, path).catch((error: unknown) => {
        if (!hasCode(error, 'EEXIST')) throw error; // stored once more
      });
    await rm(aside, { force: true });
    return isOld;
  }
}

function unlessGone(error: unknown): null {
  if (hasCode(error, 'ENOENT')) return null;
  throw error;
}
