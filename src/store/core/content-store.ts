/**
 * A store of blocks and parts under their SHA-256, over any backing: files or a database. Everything that is read is hashed again
 * here, so a backing cannot pass off damaged data as what was asked for.
 */
import { LRUCache } from 'lru-cache';
import type { Json } from '../../shared/json/json';
import { isHash, sha256Hex } from '../../shared/json/sha256';
import { parseJson } from '../../shared/json/parse-json';
import type { Block, Part } from '../../shared/turn/transcript';
import { deepFreeze, callLines, readCall } from './transcript';
import {
  blockFault,
  bodyText,
  isBlock,
  isPart,
  partFault,
  sealBlock,
  sealPart,
  storedBlockOf,
  type SealedBlock,
  type SealedPart,
  type StoredBlock,
} from './seal';
import { derivedKey, saltOf } from './identity';
import {
  StoreError,
  type AdmittedRecord,
  type BlockWithParts,
  type EffectStore,
  type NewBlock,
  type RegisterStore,
  type Store,
  type StoreIdentity,
  type TrailStore,
} from '../store';
import { entriesOf, type TrailEntry } from './trail';
import { errorMessage } from '../../shared/text/error-message';

/** Size of each cache of the objects used last: objects never change, and a step reads the whole transcript. */
const KEPT_BYTES = 32_000_000;

/** An object with its lines: a block with its parts, or a part alone. */
export interface ObjectLines {
  hash: string;
  lines: string[];
}

/** Keeps the text of objects, unchecked. The form of hashes is checked before they come here. */
export interface Objects {
  /**
   * Stores objects together with their trail entries. Once it resolves, all of it survives a power cut. An existing object stays as
   * it is, or is repaired if it is damaged.
   */
  put(objects: ObjectLines[], trail: TrailEntry[]): Promise<void>;
  /**
   * `lines`: those of the object, possibly among others; `ahead`: objects that the caller is likely to want next.
   * @throws StoreError `not_found`, naming the hash and where it should be
   */
  get(hash: string): Promise<{ lines: string[]; ahead: ObjectLines[] }>;
  /** The same for many objects; unreadable ones are left out. */
  getEach(hashes: string[]): Promise<ObjectLines[]>;
  /** The error for an object whose content does not fit its name. */
  fault(hash: string, why: string): StoreError;
}

/** Keeps files that tools made. */
export interface Bytes {
  put(bytes: Uint8Array): Promise<string>;
  get(hash: string): Promise<Buffer>;
}

export interface Backing {
  identity: StoreIdentity;
  objects: Objects;
  bytes: Bytes;
  saltKey: Buffer;
  /** Of an encrypted store: a secret that nobody makes of this one who has the store alone. It changes when the ring begins to write. */
  derive?(secret: Buffer): Buffer;
  effects: EffectStore;
  registers: RegisterStore;
  trail: TrailStore;
  checkWritable(): Promise<void>;
  close(): Promise<void>;
}

export class ContentStore implements Store {
  private readonly blocks = new LRUCache<string, StoredBlock>({ maxSize: KEPT_BYTES });
  private readonly parts = new LRUCache<string, { body: Json }>({ maxSize: KEPT_BYTES });
  /** As JSON: a caller may change the call that it gets. */
  private readonly calls = new LRUCache<string, string>({ maxSize: KEPT_BYTES });
  private readonly keys = new Map<string, Buffer>();
  private readonly backing: Backing;
  private readonly objects: Objects;

  /** @param backing gets a function that reads many blocks and leaves out missing and damaged ones: the trail verifies with it */
  constructor(backing: (readBlocks: ReadBlocks) => Backing) {
    this.backing = backing((hashes) => this.soundBlocks(hashes));
    this.objects = this.backing.objects;
  }

  get identity(): StoreIdentity {
    return this.backing.identity;
  }

  get effects(): EffectStore {
    return this.backing.effects;
  }

  get registers(): RegisterStore {
    return this.backing.registers;
  }

  get trail(): TrailStore {
    return this.backing.trail;
  }

  async putPart(scope: string, body: Json): Promise<string> {
    const { hash, text } = this.sealPart(scope, body);
    await this.objects.put([{ hash, lines: [text] }], []);
    this.keepPart(hash, body, text.length);
    return hash;
  }

  async getPart(hash: string): Promise<Json> {
    const entry = this.parts.get(hash);
    if (entry) return entry.body;
    const { lines } = await this.objects.get(requireHash(hash));
    const { body } = this.readLonePart(hash, lines);
    this.keepPart(hash, body, lines[0]!.length);
    return body;
  }

  async getSealedPart(hash: string): Promise<Part> {
    return this.readLonePart(hash, await this.linesOf(hash));
  }

  seal(scope: string, { bodies, ...head }: NewBlock): SealedBlock {
    return sealBlock(
      head,
      bodies.map((body) => this.sealPart(scope, body)),
    );
  }

  async putBlocks(blocks: SealedBlock[]): Promise<void> {
    if (blocks.length === 0) return;
    const objects = blocks.map(({ hash, text, parts }) => ({ hash, lines: [text, ...parts.map((part) => part.text)] }));
    await this.objects.put(objects, await this.trailOf(blocks));
    for (const { hash, block, parts, text } of blocks) {
      const size = parts.reduce((sum, part) => sum + part.text.length, text.length);
      this.keepBlock({ hash, block, bodies: parts.map((part) => part.body) }, size);
    }
  }

  /**
   * The trail entries of these blocks. An admission is entered with the block that follows it: before that, the attempt that wrote
   * it may be lost, and another attempt may ask the model again.
   */
  private async trailOf(blocks: SealedBlock[]): Promise<TrailEntry[]> {
    const storedBlocks = blocks.map(({ hash, block, parts }) => ({ hash, block, bodies: parts.map((part) => part.body) }));
    const own = storedBlocks.filter(({ block }) => block.kind !== 'admission').flatMap(entriesOf);
    const byHash = new Map(storedBlocks.map((one) => [one.hash, one]));
    const parents = [...new Set(blocks.map(({ block }) => block.parent).filter((parent) => parent !== null))];
    // Readers of the transcript get the error for an unreadable block. Here, it must not keep an effect from being written down.
    const before = await Promise.all(parents.map(async (hash) => byHash.get(hash) ?? this.getBlock(hash).catch(() => null)));
    const admissions = before.filter((one) => one !== null).filter(({ block }) => block.kind === 'admission');
    return [...admissions.flatMap(entriesOf), ...own];
  }

  async getBlock(hash: string): Promise<StoredBlock> {
    const entry = this.blocks.get(hash);
    if (entry) return entry;
    const { lines, ahead } = await this.objects.get(requireHash(hash));
    const block = this.takeBlock(hash, lines);
    for (const object of ahead) this.takeIfSound(object);
    return block;
  }

  async getSealedBlock(hash: string): Promise<BlockWithParts> {
    const match = this.readBlocks(hash, await this.linesOf(hash)).find((block) => block.hash === hash);
    if (!match) throw this.objects.fault(hash, 'is another block');
    return match;
  }

  async putCalls(calls: AdmittedRecord[]): Promise<string[]> {
    if (calls.length === 0) return [];
    const records = calls.map(callLines);
    await this.objects.put(
      records.map(({ digest, lines }) => ({ hash: digest, lines })),
      [],
    );
    for (const { digest, json } of records) if (json !== null) this.calls.set(digest, json, { size: json.length });
    return records.map(({ digest }) => digest);
  }

  async getCall(digest: string): Promise<AdmittedRecord> {
    const entry = this.calls.get(digest);
    if (entry !== undefined) return JSON.parse(entry) as AdmittedRecord;
    const lines = await this.linesOf(digest);
    try {
      const call = readCall(digest, lines);
      const json = JSON.stringify(call);
      this.calls.set(digest, json, { size: json.length });
      return call;
    } catch (error) {
      throw this.objects.fault(digest, errorMessage(error));
    }
  }

  putBytes(bytes: Uint8Array): Promise<string> {
    return this.backing.bytes.put(bytes);
  }

  getBytes(sha256: string): Promise<Buffer> {
    return this.backing.bytes.get(sha256);
  }

  derivedKey(purpose: string, of?: 'store'): Buffer {
    const key = this.keys.get(purpose) ?? derivedKey(this.backing.saltKey, purpose);
    this.keys.set(purpose, key);
    return of === 'store' ? key : (this.backing.derive?.(key) ?? key);
  }

  checkWritable(): Promise<void> {
    return this.backing.checkWritable();
  }

  close(): Promise<void> {
    return this.backing.close();
  }

  private async soundBlocks(hashes: string[]): Promise<Map<string, StoredBlock>> {
    const ids = [...new Set(hashes)].filter(isHash);
    const cachedBlocks = ids.map((hash) => this.blocks.get(hash)).filter((block) => block !== undefined);
    const read = await this.objects.getEach(ids.filter((hash) => !this.blocks.has(hash)));
    const loadedBlocks = read.map((object) => this.takeIfSound(object)).filter((block) => block !== null);
    return new Map([...cachedBlocks, ...loadedBlocks].map((block) => [block.hash, block]));
  }

  /** Null for a damaged block: a caller that asks for the block itself gets the error. */
  private takeIfSound({ hash, lines }: ObjectLines): StoredBlock | null {
    try {
      return this.blocks.get(hash) ?? this.takeBlock(hash, lines);
    } catch {
      return null;
    }
  }

  /** Reads the blocks of these lines, and caches them. */
  private takeBlock(hash: string, lines: string[]): StoredBlock {
    const blocks = this.readBlocks(hash, lines).map(storedBlockOf);
    const size = lines.reduce((sum, line) => sum + line.length, 0) / blocks.length;
    for (const block of blocks) this.keepBlock(block, size);
    const match = blocks.find((block) => block.hash === hash);
    if (!match) throw this.objects.fault(hash, 'is another block');
    return match;
  }

  /** The lines of this object alone. If it is missing, `get` throws, and says where it should be. */
  private async linesOf(hash: string): Promise<string[]> {
    const [own] = await this.objects.getEach([requireHash(hash)]);
    return own?.lines ?? (await this.objects.get(hash)).lines;
  }

  /** The blocks of one object's lines, each followed by its parts. */
  private readBlocks(object: string, lines: string[]): BlockWithParts[] {
    const blocks: BlockWithParts[] = [];
    for (let at = 0; at < lines.length;) {
      const hash = sha256Hex(lines[at]!);
      const block = this.readBlock(object, hash, lines[at]);
      const own = lines.slice(at + 1, at + 1 + block.parts.length);
      const parts = block.parts.map((part, index) => this.readPart(object, part, own[index]));
      blocks.push({ hash, block, parts });
      at += 1 + block.parts.length;
    }
    return blocks;
  }

  private sealPart(scope: string, body: Json): SealedPart {
    const text = bodyText(body);
    return sealPart(saltOf(this.backing.saltKey, scope, text), body, text);
  }

  private keepBlock(block: StoredBlock, characters: number): void {
    this.blocks.set(block.hash, deepFreeze(block), { size: Math.ceil(characters) });
  }

  private keepPart(hash: string, body: Json, size: number): void {
    this.parts.set(hash, deepFreeze({ body }), { size });
  }

  private readBlock(object: string, hash: string, line: string | undefined): Block {
    const block = this.parse(object, hash, line);
    if (isBlock(block)) return block;
    throw this.objects.fault(object, blockFault(block) ?? 'it is not a block');
  }

  private readLonePart(hash: string, lines: string[]): Part {
    const part = this.readPart(hash, hash, lines[0]);
    if (lines.length > 1) throw this.objects.fault(hash, 'something follows the part');
    return part;
  }

  private readPart(object: string, hash: string, line: string | undefined): Part {
    const part = this.parse(object, hash, line);
    if (isPart(part)) return part;
    throw this.objects.fault(object, partFault(part) ?? 'it is not a part');
  }

  /** Parses a line of an object as JSON, once its hash is the expected one. */
  private parse(object: string, hash: string, line: string | undefined): Json {
    if (line === undefined) throw this.objects.fault(object, `${hash} is missing`);
    const actual = sha256Hex(line);
    if (actual !== hash) throw this.objects.fault(object, `${hash} hashes to ${actual}`);
    try {
      return parseJson(line);
    } catch (error) {
      throw this.objects.fault(object, `${hash} was stored by something else: ${errorMessage(error)}`);
    }
  }
}

/** Reads many blocks at once; missing and damaged ones are left out. */
export type ReadBlocks = (hashes: string[]) => Promise<Map<string, StoredBlock>>;

/** Runs before the hash becomes a path or a parameter: a reference may come from a signal or a bundle. */
function requireHash(hash: string): string {
  if (isHash(hash)) return hash;
  const excerpt = JSON.stringify(String(hash).slice(0, 80));
  throw new StoreError('not_found', `No object ${excerpt}: a reference is 64 lower-case hex characters`);
}
