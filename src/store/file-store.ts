/**
 * The embedded default: a store in one directory, shared by any number of processes of one machine.
 *
 *     objects/ab/cdef…          blocks with their parts, and single parts: see file-objects.ts
 *     effects/<key>/<n>.<v>.json, effects-by-digest/…   see file-effects.ts
 *     salt.key                  32 secret bytes
 *     tmp/                      files being written
 */
import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { LRUCache } from 'lru-cache';
import type { Json } from '../shared/json';
import type { Block, Part } from '../shared/transcript';
import { makeDirs, sweepTemp, syncDir } from './atomic-file';
import { deepFreeze } from './deep-freeze';
import { FileEffects } from './file-effects';
import { FileObjects } from './file-objects';
import { blockFault, partFault } from './object-shapes';
import { openSaltKey, saltOf } from './salt-key';
import { sealBlock, sealPart, type SealedBlock, type SealedPart } from './seal';
import type { EffectStore, NewBlock, Store, StoredBlock } from './store';

/** Objects never change, so each process keeps those that it used last: a step reads the whole transcript. */
const KEPT_BYTES = 32_000_000;

export class FileStore implements Store {
  private readonly blocks = new LRUCache<string, StoredBlock>({ maxSize: KEPT_BYTES });
  private readonly parts = new LRUCache<string, { body: Json }>({ maxSize: KEPT_BYTES });

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

  async putPart(scope: string, body: Json): Promise<string> {
    const part = this.sealPart(scope, body);
    await this.objects.put(part.hash, [part.text]);
    this.keepPart(part.hash, part.body, part.text.length);
    return part.hash;
  }

  async getPart(hash: string): Promise<Json> {
    const kept = this.parts.get(hash);
    if (kept) return kept.body;
    const [line, ...more] = await this.objects.get(hash);
    if (more.length > 0) throw this.objects.fault('damaged', hash, 'it is not a part by itself');
    const { body } = this.part(hash, line);
    this.keepPart(hash, body, line.length);
    return body;
  }

  seal(scope: string, { bodies, ...head }: NewBlock): SealedBlock {
    return sealBlock(
      head,
      bodies.map((body) => this.sealPart(scope, body)),
    );
  }

  async putBlocks(blocks: SealedBlock[]): Promise<void> {
    await Promise.all(
      blocks.map(async ({ hash, block, parts, text }) => {
        const lines = [text, ...parts.map((part) => part.text)];
        await this.objects.put(hash, lines);
        this.keepBlock({ hash, block, bodies: parts.map((part) => part.body) }, lines);
      }),
    );
  }

  async getBlock(hash: string): Promise<StoredBlock> {
    const kept = this.blocks.get(hash);
    if (kept) return kept;
    const lines = await this.objects.get(hash);
    const block = this.block(hash, lines[0]);
    if (lines.length - 1 !== block.parts.length) {
      throw this.objects.fault('damaged', hash, `it has ${lines.length - 1} of its ${block.parts.length} parts`);
    }
    const bodies = block.parts.map((part, index) => {
      const line = lines[index + 1]!;
      this.objects.check(hash, part, line);
      return this.part(part, line).body;
    });
    const stored = { hash, block, bodies };
    this.keepBlock(stored, lines);
    return stored;
  }

  private sealPart(scope: string, body: Json): SealedPart {
    return sealPart(saltOf(this.saltKey, scope, body), body);
  }

  private keepBlock(stored: StoredBlock, lines: string[]): void {
    const size = lines.reduce((sum, line) => sum + line.length, 0);
    this.blocks.set(stored.hash, deepFreeze(stored), { size });
  }

  private keepPart(hash: string, body: Json, size: number): void {
    this.parts.set(hash, deepFreeze({ body }), { size });
  }

  private block(hash: string, line: string): Block {
    const block = this.objects.parse(hash, line);
    const fault = blockFault(block);
    if (fault !== null) throw this.objects.fault('damaged', hash, fault);
    return block as unknown as Block;
  }

  private part(hash: string, line: string): Part {
    const part = this.objects.parse(hash, line);
    const fault = partFault(part);
    if (fault !== null) throw this.objects.fault('damaged', hash, fault);
    return part as unknown as Part;
  }
}
