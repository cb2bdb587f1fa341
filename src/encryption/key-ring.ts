/**
 * The key ring: one JSON object with all keys that may read, and the name of the one that writes. It looks the same in a file, as the
 * output of a command and from a key service:
 *
 *     {"v": "holdfast.keys/1", "ring": "<32 bytes, base64>", "current": "2026-11", "keys": {"2026-11": "<32 bytes, base64>"}}
 *
 * `ring` never changes. With it a key's id in a payload is signed: a reader can tell an id of this ring, whose key it does not have
 * yet, from an id that somebody made up. The first is waited for, the second is refused.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { isJsonObject, type Json } from '../shared/json/json';
import { parseJson } from '../shared/json/parse-json';
import { errorMessage } from '../shared/text/error-message';
import { BadKeyRing } from '../shared/wire/errors';

export const RING_VERSION = 'holdfast.keys/1';
export const KEY_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** The form of a ring in a file. */
export interface KeyRingJson {
  v: typeof RING_VERSION;
  /** 32 bytes, base64; the same for as long as the ring exists. */
  ring: string;
  /** Id of the key that writes; null: nothing is encrypted, and what is encrypted can be read. */
  current: string | null;
  /** 32 bytes each, base64, by their ids. */
  keys: { [id: string]: string };
}

const FIELDS = ['v', 'ring', 'current', 'keys'];
const BASE64 = /^[A-Za-z0-9+/]{43}=$/;
const BYTES = 32;

export class KeyRing {
  private constructor(
    private readonly secret: Buffer,
    readonly current: string | null,
    private readonly keys: ReadonlyMap<string, Buffer>,
  ) {}

  /** @param where the ring comes from, for the error. @throws BadKeyRing */
  static parse(text: string, where: string): KeyRing {
    let value: Json;
    try {
      value = parseJson(text);
    } catch {
      // The parser's message would show what stands there.
      throw new BadKeyRing(`The key ring ${where} cannot be used: it is not JSON.`);
    }
    return KeyRing.of(value, where);
  }

  /** @throws BadKeyRing */
  static of(value: unknown, where: string): KeyRing {
    const bad = (what: string) => new BadKeyRing(`The key ring ${where} cannot be used: ${what}.`);
    if (!isJsonObject(value as Json)) throw bad('it is not a JSON object');
    const { v, ring, current, keys, ...others } = value as { [name: string]: Json };
    if (v !== RING_VERSION) throw bad(`"v" is not ${JSON.stringify(RING_VERSION)}`);
    const [other] = Object.keys(others);
    if (other !== undefined)
      throw bad(`it has a field ${JSON.stringify(other.slice(0, 40))}; a ring has ${FIELDS.join(', ')} only`);
    if (!isJsonObject(keys ?? null)) throw bad('"keys" is not an object of keys by their ids');
    const map = new Map<string, Buffer>();
    for (const [id, text] of Object.entries(keys as object)) {
      if (!KEY_ID.test(id))
        throw bad(
          `the id ${JSON.stringify(id.slice(0, 80))} is not 1 to 64 letters, digits, dots, dashes and underscores, with a letter or digit first`,
        );
      map.set(
        id,
        bytesOf(text) ?? fail(bad(`the key ${id} is not ${BYTES} bytes in base64; \`openssl rand -base64 32\` makes one`)),
      );
    }
    if (current !== null && (typeof current !== 'string' || !map.has(current)))
      throw bad(`"current" is neither null nor the id of one of its keys (${[...map.keys()].join(', ') || 'it has none'})`);
    const secret = bytesOf(ring) ?? fail(bad(`"ring" is not ${BYTES} bytes in base64; \`openssl rand -base64 32\` makes them`));
    const all = [secret, ...map.values()].map((bytes) => bytes.toString('hex'));
    if (new Set(all).size !== all.length) throw bad('two of its keys are the same');
    return new KeyRing(secret, current, map);
  }

  get ids(): string[] {
    return [...this.keys.keys()];
  }

  key(id: string): Buffer | undefined {
    return this.keys.get(id);
  }

  /** The sign of a key's id: 16 bytes. */
  tag(id: string): Buffer {
    return createHmac('sha256', this.secret).update(id, 'utf8').digest().subarray(0, 16);
  }

  /** A secret that needs both the given one and the ring, and that no rotation changes. No id of a key is signed with such a text. */
  derive(secret: Buffer): Buffer {
    return createHmac('sha256', this.secret).update('holdfast.derived/1 ').update(secret).digest();
  }

  /** Whether the id is one of this ring, also if this copy of the ring lacks its key. */
  owns(id: string, tag: Uint8Array): boolean {
    return tag.length === 16 && timingSafeEqual(this.tag(id), tag);
  }
}

/**
 * The ring with one more key, or with another of its keys as the one that writes.
 * @param before null: a new ring
 * @param options.id of the key; of one that the ring has: that one writes from now on. Default: today, with a suffix if that is taken
 * @param options.writes whether the key writes from now on; false: it may be read only
 * @throws BadKeyRing
 */
export function rotate(
  before: KeyRingJson | null,
  { id, writes, now }: { id?: string; writes: boolean; now: Date },
): { ring: KeyRingJson; id: string; isNew: boolean } {
  const ring = before ?? { v: RING_VERSION, ring: newKey(), current: null, keys: {} };
  const keyId = id ?? freeId(now.toISOString().slice(0, 10), ring.keys);
  const isNew = !Object.hasOwn(ring.keys, keyId);
  const keys = isNew ? { ...ring.keys, [keyId]: newKey() } : ring.keys;
  const next = { ...ring, keys, current: writes ? keyId : ring.current };
  KeyRing.of(next, 'that this makes');
  return { ring: next, id: keyId, isNew };
}

/** @throws BadKeyRing */
export function readRingJson(text: string, where: string): KeyRingJson {
  KeyRing.parse(text, where);
  return JSON.parse(text) as KeyRingJson;
}

function newKey(): string {
  return randomBytes(BYTES).toString('base64');
}

function freeId(day: string, keys: KeyRingJson['keys']): string {
  for (let n = 1; ; n++) {
    const id = n === 1 ? day : `${day}.${n}`;
    if (!Object.hasOwn(keys, id)) return id;
  }
}

function bytesOf(text: unknown): Buffer | null {
  if (typeof text !== 'string' || !BASE64.test(text)) return null;
  const bytes = Buffer.from(text, 'base64');
  return bytes.length === BYTES && bytes.toString('base64') === text ? bytes : null;
}

function fail(error: Error): never {
  throw error;
}

/** For errors of a ring's source. */
export function unusable(where: string, error: unknown): BadKeyRing {
  return error instanceof BadKeyRing ? error : new BadKeyRing(`The key ring ${where} cannot be used: ${errorMessage(error)}.`);
}
