/**
 * Encrypts what a backing keeps. Parts, calls, files and registers are sealed; blocks, effect records and the trail stay as they are,
 * since they hold ids, hashes, times and states. All names stay hashes of what is plain, so an audit of the chain needs no keys. Each
 * object is checked against its hash after it was opened, as in a plain store. What was stored before there were keys is read as it is.
 * While the ring writes with a key, the keys that derive from the store's secret need the ring too: that secret is plain in the store.
 */
import { createHash } from 'node:crypto';
import type { Keys } from '../../encryption/key-source';
import { BadSeal, open, openNow, seal, sealNow } from '../../encryption/seal';
import { isJsonObject, type Json } from '../../shared/json/json';
import { isHash, sha256Hex } from '../../shared/json/sha256';
import { NoCodecKeys } from '../../shared/wire/payload';
import { StoreError, type RegisterChange, type RegisterStore } from '../store';
import type { Backing, Bytes, ObjectLines, Objects } from './content-store';
import { BLOCK_BEGINS, objectOfFile } from './lines';
import { LIMIT_PREFIX } from './registers';
import type { TrailEntry } from './trail';

/** A sealed line is one JSON object, which also a backing that looks into lines can read. */
const SEALED_VERSION = 'holdfast.sealed/1';
const BEGINS = `{"v":"${SEALED_VERSION}",`;

interface SealedValue {
  v: typeof SEALED_VERSION;
  key: string;
  /** Sign of the key's id, base64. */
  ring: string;
  /** base64 */
  data: string;
}

/** @param keys null: what it keeps is plain, and a register that was sealed is an error */
export function encryptedBacking<B extends Pick<Backing, 'identity' | 'objects' | 'bytes' | 'registers' | 'derive'>>(
  backing: B,
  keys: Keys | null,
): B {
  if (keys === null) return { ...backing, registers: new PlainRegisters(backing.registers) };
  const { id } = backing.identity;
  const objects = new EncryptedObjects(backing.objects, new Sealer(keys, id, 'line'));
  return {
    ...backing,
    objects,
    bytes: new EncryptedBytes(backing.bytes, backing.objects, new Sealer(keys, id, 'file')),
    registers: new EncryptedRegisters(backing.registers, keys, id),
    derive: (secret: Buffer) => (keys.ring().current === null ? secret : keys.ring().derive(secret)),
  };
}

/** Seals texts of one store for one kind of place. */
class Sealer {
  constructor(
    private readonly keys: Keys,
    private readonly storeId: string,
    private readonly kind: string,
  ) {}

  /** Whether the ring writes with a key. */
  get writes(): boolean {
    return this.keys.ring().current !== null;
  }

  /** @param same the place of the bytes (encryption/seal.ts) */
  async line(plain: Uint8Array, same: Uint8Array): Promise<string> {
    const ring = this.keys.ring();
    if (ring.current === null) throw new Error('The key ring writes with no key.');
    return JSON.stringify(this.value(await seal(ring.key(ring.current)!, this.use(ring.current), plain, same), ring.current));
  }

  now(plain: Uint8Array): SealedValue | null {
    const { current } = this.keys.ring();
    if (current === null) return null;
    return this.value(sealNow(this.keys.ring().key(current)!, this.use(current), plain), current);
  }

  /** @throws BadSeal, MissingKey */
  async open({ key, data }: SealedValue): Promise<Buffer> {
    return open(await this.key(key), this.use(key), Buffer.from(data, 'base64'));
  }

  /** Null: the key is not at hand. @throws BadSeal */
  openNow(value: SealedValue): Buffer | null {
    const key = this.keys.ring().key(value.key);
    return key === undefined ? null : openNow(key, this.use(value.key), Buffer.from(value.data, 'base64'));
  }

  /** @throws MissingKey */
  key(id: string): Promise<Buffer> {
    return this.keys.key(id);
  }

  /** @throws BadSeal for the line of another ring, or one that is damaged */
  read(line: string): SealedValue {
    let value: Json;
    try {
      value = JSON.parse(line) as Json;
    } catch {
      throw new BadSeal('it is damaged');
    }
    return this.sealedIn(value) ?? fail(new BadSeal('it is damaged'));
  }

  /** Null: it is not sealed. @throws BadSeal for something sealed with a key of another ring */
  sealedIn(value: Json): SealedValue | null {
    if (!isJsonObject(value) || value.v !== SEALED_VERSION) return null;
    const { key, ring, data } = value;
    if (typeof key !== 'string' || typeof ring !== 'string' || typeof data !== 'string') throw new BadSeal('it is damaged');
    if (!this.keys.ring().owns(key, Buffer.from(ring, 'base64')))
      throw new BadSeal('it is encrypted with a key of another key ring, or damaged');
    return value as unknown as SealedValue;
  }

  private value(ciphertext: Buffer, key: string): SealedValue {
    return { v: SEALED_VERSION, key, ring: this.keys.ring().tag(key).toString('base64'), data: ciphertext.toString('base64') };
  }

  private use(keyId: string): string {
    return JSON.stringify(['holdfast.store/1', this.storeId, this.kind, keyId]);
  }
}

class EncryptedObjects implements Objects {
  constructor(
    private readonly objects: Objects,
    private readonly sealer: Sealer,
  ) {}

  async put(objects: ObjectLines[], trail: TrailEntry[]): Promise<void> {
    await this.objects.put(this.sealer.writes ? await Promise.all(objects.map((object) => this.seal(object))) : objects, trail);
  }

  async get(hash: string): Promise<{ lines: string[]; ahead: ObjectLines[] }> {
    const { lines, ahead } = await this.objects.get(hash);
    return { lines: await this.openAll(hash, lines), ahead: await this.openSound(ahead) };
  }

  async getEach(hashes: string[]): Promise<ObjectLines[]> {
    return this.openSound(await this.objects.getEach(hashes));
  }

  fault(hash: string, why: string): StoreError {
    return this.objects.fault(hash, why);
  }

  /** The place of a line is what stands before it in its object: the same input in two calls gives two sealed lines. */
  private async seal({ hash, lines }: ObjectLines): Promise<ObjectLines> {
    const before = createHash('sha256').update(hash);
    const texts: Promise<string>[] = [];
    for (const line of lines) {
      const isBlock = line.startsWith(BLOCK_BEGINS);
      texts.push(isBlock ? Promise.resolve(line) : this.sealer.line(Buffer.from(line, 'utf8'), before.copy().digest()));
      before.update(line, 'utf8').update('\n');
    }
    return { hash, lines: await Promise.all(texts) };
  }

  private async openAll(hash: string, lines: string[]): Promise<string[]> {
    try {
      return await Promise.all(lines.map((line) => this.open(line)));
    } catch (error) {
      throw error instanceof BadSeal ? this.fault(hash, `a line cannot be decrypted: ${error.message}`) : error;
    }
  }

  private async open(line: string): Promise<string> {
    return line.startsWith(BEGINS) ? (await this.sealer.open(this.sealer.read(line))).toString('utf8') : line;
  }

  /** Without the objects that cannot be decrypted. */
  private async openSound(objects: ObjectLines[]): Promise<ObjectLines[]> {
    const opened = await Promise.allSettled(
      objects.map(async ({ hash, lines }) => ({ hash, lines: await this.openAll(hash, lines) })),
    );
    return opened.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  }
}

/** Files, as objects of one sealed line: a backing names files by the hash of the bytes that it gets. */
class EncryptedBytes implements Bytes {
  constructor(
    private readonly plain: Bytes,
    private readonly objects: Objects,
    private readonly sealer: Sealer,
  ) {}

  async put(bytes: Uint8Array): Promise<string> {
    if (!this.sealer.writes) return this.plain.put(bytes);
    const hash = sha256Hex(bytes);
    await this.objects.put([{ hash: objectOfFile(hash), lines: [await this.sealer.line(bytes, Buffer.from(hash))] }], []);
    return hash;
  }

  async get(hash: string): Promise<Buffer> {
    const [object] = isHash(hash) ? await this.objects.getEach([objectOfFile(hash)]) : [];
    const line = object?.lines[0] ?? '';
    // A plain file may have an object of this name too, where large files are stored outside.
    if (!line.startsWith(BEGINS)) return this.plain.get(hash);
    let bytes: Buffer;
    try {
      bytes = await this.sealer.open(this.sealer.read(line));
    } catch (error) {
      throw error instanceof BadSeal ? damageOf(hash, error.message) : error;
    }
    const actual = sha256Hex(bytes);
    if (actual !== hash) throw damageOf(hash, `it hashes to ${actual}`);
    return bytes;
  }
}

function damageOf(hash: string, why: string): StoreError {
  return new StoreError('damaged', `File ${hash} is damaged: in objects/${objectOfFile(hash)} ${why}. Restore it from a backup`);
}

/** Registers of a store without keys. A sealed value must not be taken for one that is plain, nor be replaced. */
export class PlainRegisters implements RegisterStore {
  constructor(private readonly registers: RegisterStore) {}

  /** @throws NoCodecKeys */
  async read(name: string): Promise<{ value: Json; now: number }> {
    const { value, now } = await this.registers.read(name);
    return { value: plainValue(value), now };
  }

  /** @throws NoCodecKeys */
  update<T>(name: string, change: RegisterChange<T>): Promise<T> {
    return this.registers.update(name, (value, now) => change(plainValue(value), now));
  }
}

function plainValue(value: Json): Json {
  if (isJsonObject(value) && value.v === SEALED_VERSION) throw new NoCodecKeys();
  return value;
}

/** Registers hold answers that the gateway repeats, names of people and sign-ins; those of the tools' limits hold counts only. */
export class EncryptedRegisters implements RegisterStore {
  constructor(
    private readonly registers: RegisterStore,
    private readonly keys: Keys,
    private readonly storeId: string,
  ) {}

  async read(name: string): Promise<{ value: Json; now: number }> {
    const { value, now } = await this.registers.read(name);
    const sealer = this.sealer(name);
    const sealed = inRegister(name, () => sealer.sealedIn(value));
    if (sealed === null) return { value, now };
    await sealer.key(sealed.key);
    return { value: this.open(name, sealer, value)!.value, now };
  }

  async update<T>(name: string, change: RegisterChange<T>): Promise<T> {
    if (name.startsWith(LIMIT_PREFIX)) return this.registers.update(name, change);
    const sealer = this.sealer(name);
    for (;;) {
      const result = await this.registers.update<{ answer: T } | { needs: string }>(name, (present, now) => {
        const opened = this.open(name, sealer, present);
        if (opened === null) return { answer: { needs: (present as unknown as SealedValue).key } };
        const { value, answer } = change(opened.value, now);
        return value === undefined ? { answer: { answer } } : { value: this.seal(sealer, value), answer: { answer } };
      });
      if ('answer' in result) return result.answer;
      await sealer.key(result.needs); // as a change is synchronous, the key is fetched beside it
    }
  }

  private seal(sealer: Sealer, value: Json): Json {
    if (value === null) return null;
    const sealed = sealer.now(Buffer.from(JSON.stringify(value), 'utf8'));
    return sealed === null ? value : { ...sealed };
  }

  /** Null: its key is not at hand. @throws StoreError `damaged` */
  private open(name: string, sealer: Sealer, value: Json): { value: Json } | null {
    return inRegister(name, () => {
      const sealed = sealer.sealedIn(value);
      if (sealed === null) return { value };
      const bytes = sealer.openNow(sealed);
      return bytes === null ? null : { value: JSON.parse(bytes.toString('utf8')) as Json };
    });
  }

  private sealer(name: string): Sealer {
    return new Sealer(this.keys, this.storeId, `register ${name}`);
  }
}

function inRegister<T>(name: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof BadSeal)) throw error;
    throw new StoreError('damaged', `The register ${name} cannot be decrypted: ${error.message}. Restore it from a backup`);
  }
}

function fail(error: Error): never {
  throw error;
}
