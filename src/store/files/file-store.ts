/**
 * The default store: files in one directory, shared by any number of processes of one machine.
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
import { mkdir, open, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { randomBytes } from 'node:crypto';
import type { CollectableBacking } from '../collect/stock';
import { createStore } from '../core/create-store';
import { encryptedBacking } from '../core/encrypted-backing';
import { openIdentity, openSaltKey } from '../core/identity';
import type { Keys } from '../../encryption/key-source';
import type { Store } from '../store';
import { makeDirs, sweepTemp, syncDir } from './atomic-file';
import { FileBytes, FileObjects } from './file-objects';
import { FileEffects } from './file-effects';
import { FileRegisters } from './file-registers';
import { FileStock } from './file-stock';
import { FileTrail } from './file-trail';

export class FileStore {
  /** @param keys with which its content is encrypted; null: it is plain @throws as `backing` */
  static async open(dir: string, keys: Keys | null = null): Promise<Store> {
    return createStore(encryptedBacking(await FileStore.backing(dir), keys));
  }

  /**
   * Opens the folder, and makes what is missing (directories 0700, files 0600).
   * @throws StoreError `damaged` for a bad salt.key; a system error if the directory cannot be used
   */
  static async backing(dir: string): Promise<CollectableBacking> {
    const root = resolve(dir);
    await mkdir(root, { recursive: true, mode: 0o700 });
    await syncDir(resolve(root, '..'));
    const tempDir = join(root, 'tmp');
    await makeDirs(root, ['tmp']);
    await sweepTemp(tempDir);
    const saltKey = await openSaltKey(root, tempDir);
    const trail = await FileTrail.open(root, tempDir);
    const registers = await FileRegisters.open(root, tempDir);
    const effects = await FileEffects.open(root, tempDir);
    return {
      identity: await openIdentity(root, tempDir),
      saltKey,
      objects: await FileObjects.open(root, tempDir, trail),
      bytes: await FileBytes.open(root, tempDir),
      effects,
      registers,
      trail,
      collectable: {
        objects: new FileStock(join(root, 'objects'), tempDir),
        files: new FileStock(join(root, 'bytes'), tempDir),
        effects: () => effects.all(),
      },
      checkWritable: () => checkWritable(tempDir),
      close: async () => registers.close(),
    };
  }
}

// Whether files can be written now. For readiness: a worker that cannot write should get no work.

/**
 * Writes and removes a small file beside the store's other temporary files.
 * @throws Error of the system, e.g. ENOSPC or EACCES
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
