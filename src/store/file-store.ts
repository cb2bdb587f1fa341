/**
 * The embedded default: a store in one directory, shared by any number of processes of one machine.
 *
 *     objects/<hash>            blocks with their parts, and single parts: see file-objects.ts
 *     effects/<key>/<n>.<v>.json, effects-by-digest/…   see file-effects.ts
 *     bytes/<sha256>            files that tools made
 *     registers/<name's hash>/<n>               see file-registers.ts
 *     trail/<UTC day>/…         see file-trail.ts
 *     salt.key                  32 secret bytes
 *     store.json                the store's id
 *     tmp/                      files being written
 */
import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { makeDirs, sweepTemp, syncDir } from './atomic-file';
import { ContentStore, type ReadBlocks } from './content-store';
import { Effects } from './effects';
import { FileBytes } from './file-bytes';
import { FileEffects } from './file-effects';
import { FileObjects } from './file-objects';
import { FileRegisters } from './file-registers';
import { FileTrail } from './file-trail';
import { openIdentity } from './identity';
import { openSaltKey } from './salt-key';
import type { Store } from './store';
import { TrailPages } from './trail-pages';
import { checkWritable } from './writable';

export class FileStore extends ContentStore {
  /**
   * Opens the store, and makes what is missing of it (directories 0700, files 0600).
   * @throws StoreError `damaged` for a bad salt.key; a system error if the directory cannot be used
   */
  static async open(dir: string): Promise<Store> {
    const root = resolve(dir);
    await mkdir(root, { recursive: true, mode: 0o700 });
    await syncDir(resolve(root, '..'));
    const tempDir = join(root, 'tmp');
    await makeDirs(root, ['tmp']);
    await sweepTemp(tempDir);
    const saltKey = await openSaltKey(root, tempDir);
    const trail = await FileTrail.open(root, tempDir);
    const registers = await FileRegisters.open(root, tempDir);
    const backing = {
      identity: await openIdentity(root, tempDir),
      saltKey,
      objects: await FileObjects.open(root, tempDir, trail),
      bytes: await FileBytes.open(root, tempDir),
      effects: new Effects(await FileEffects.open(root, tempDir)),
      registers,
      checkWritable: () => checkWritable(tempDir),
      close: async () => registers.close(),
    };
    return new FileStore((readBlocks: ReadBlocks) => ({ ...backing, trail: new TrailPages(trail, readBlocks) }));
  }
}
