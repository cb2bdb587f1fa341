/**
 * The embedded default: a store in one directory, shared by any number of processes of one machine.
 *
 *     objects/ab/cdef…          parts and blocks: canonical JSON, named by their SHA-256
 *     effects/<key>/<n>.<v>.json, effects-by-digest/…   see file-effects.ts
 *     salt.key                  32 secret bytes
 *     tmp/                      files being written
 */
import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Json } from '../shared/json';
import type { Block, Part } from '../shared/transcript';
import { makeDirs, sweepTemp, syncDir } from './atomic-file';
import { FileEffects } from './file-effects';
import { FileObjects } from './file-objects';
import { blockFault, objectJson, partFault } from './object-shapes';
import { openSaltKey, saltOf } from './salt-key';
import type { EffectStore, Store } from './store';

export class FileStore implements Store {
  private constructor(
    private readonly objects: FileObjects,
    private readonly saltKey: Buffer,
    readonly effects: EffectStore,
  ) {}

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
    const objects = await FileObjects.open(join(root, 'objects'), tempDir);
    return new FileStore(objects, saltKey, await FileEffects.open(root, tempDir));
  }

  /** @throws CanonicalError for a body that has no canonical form */
  async putPart(scope: string, body: Json): Promise<string> {
    const part: Part = { v: 'holdfast.part/1', salt: saltOf(this.saltKey, scope, body), body };
    return this.objects.put(objectJson(part));
  }

  async getPart(hash: string): Promise<Json> {
    const part = await this.objects.get(hash);
    const fault = partFault(part);
    if (fault !== null) throw this.objects.fault('damaged', hash, fault);
    return (part as unknown as Part).body;
  }

  /** @throws TypeError for a malformed block: a fault of the engine */
  async putBlock(block: Block): Promise<string> {
    const json = objectJson(block);
    const fault = blockFault(json);
    if (fault !== null) throw new TypeError(`Bad block: ${fault}`);
    return this.objects.put(json);
  }

  async getBlock(hash: string): Promise<Block> {
    const block = await this.objects.get(hash);
    const fault = blockFault(block);
    if (fault !== null) throw this.objects.fault('damaged', hash, fault);
    return block as unknown as Block;
  }
}
