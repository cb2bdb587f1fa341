/**
 * The embedded default: a store in one directory, shared by any number of processes of one machine.
 *
 *     objects/<hash>            blocks with their parts, and single parts: see file-objects.ts
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
import { sealBlock, sealPart, sha256, type SealedBlock, type SealedPart } from './seal';
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
    const objects = await FileObjects.open(root, tempDir);
    return new FileStore(objects, saltKey, await FileEffects.open(root, tempDir));
  }

  async putPart(scope: string, body: Json): Promise<string> {
    const { hash, text } = this.sealPart(scope, body);
    await this.objects.put([{ hash, lines: [text] }]);
    this.keepPart(hash, body, text.length);
    return hash;
  }

  async getPart(hash: string): Promise<Json> {
    const kept = this.parts.get(hash);
    if (kept) return kept.body;
    const lines = await this.objects.get(hash);
    const { body } = this.readPart(hash, hash, lines[0]);
    if (lines.length > 1) throw this.objects.fault(hash, 'something follows the part');
    this.keepPart(hash, body, lines[0]!.length);
    return body;
  }

  seal(scope: string, { bodies, ...head }: NewBlock): SealedBlock {
    return sealBlock(
      head,
      bodies.map((body) => this.sealPart(scope, body)),
    );
  }

  async putBlocks(blocks: SealedBlock[]): Promise<void> {
    if (blocks.length === 0) return;
    await this.objects.put(blocks.map(({ hash, text, parts }) => ({ hash, lines: [text, ...parts.map((part) => part.text)] })));
    for (const { hash, block, parts, text } of blocks) {
      const size = parts.reduce((sum, part) => sum + part.text.length, text.length);
      this.keepBlock({ hash, block, bodies: parts.map((part) => part.body) }, size);
    }
  }

  async getBlock(hash: string): Promise<StoredBlock> {
    const kept = this.blocks.get(hash);
    if (kept) return kept;
    const lines = await this.objects.get(hash);
    const blocks = this.readBlocks(hash, lines);
    const size = lines.reduce((sum, line) => sum + line.length, 0) / blocks.length;
    for (const stored of blocks) this.keepBlock(stored, size);
    const found = blocks.find((stored) => stored.hash === hash);
    if (!found) throw this.objects.fault(hash, 'is another block');
    return found;
  }

  /** The blocks of one file, each followed by its parts. */
  private readBlocks(object: string, lines: string[]): StoredBlock[] {
    const blocks: StoredBlock[] = [];
    for (let at = 0; at < lines.length;) {
      const hash = sha256(lines[at]!);
      const block = this.readBlock(object, hash, lines[at]);
      const parts = lines.slice(at + 1, at + 1 + block.parts.length);
      const bodies = block.parts.map((part, index) => this.readPart(object, part, parts[index]).body);
      blocks.push({ hash, block, bodies });
      at += 1 + block.parts.length;
    }
    return blocks;
  }

  private sealPart(scope: string, body: Json): SealedPart {
    return sealPart(saltOf(this.saltKey, scope, body), body);
  }

  private keepBlock(stored: StoredBlock, characters: number): void {
    this.blocks.set(stored.hash, deepFreeze(stored), { size: Math.ceil(characters) });
  }

  private keepPart(hash: string, body: Json, size: number): void {
    this.parts.set(hash, deepFreeze({ body }), { size });
  }

  private readBlock(object: string, hash: string, line: string | undefined): Block {
    const block = this.objects.parse(object, hash, line);
    const fault = blockFault(block);
    if (fault !== null) throw this.objects.fault(object, fault);
    return block as unknown as Block;
  }

  private readPart(object: string, hash: string, line: string | undefined): Part {
    const part = this.objects.parse(object, hash, line);
    const fault = partFault(part);
    if (fault !== null) throw this.objects.fault(object, fault);
    return part as unknown as Part;
  }
}
