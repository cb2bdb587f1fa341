/**
 * The id and the secret key of a store, and the signed addresses of its files. The process that first opens a store makes the id,
 * which is part of everything that is approved over the store.
 */
import { randomBytes, createHmac, timingSafeEqual } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isJsonObject, type Json } from '../../shared/json/json';
import type { Owner } from '../../record/owner';
import { canonical } from '../../shared/json/canonical';
import { createFile, hasCode } from '../files/atomic-file';
import { StoreError, type Store, type StoreIdentity } from '../store';

const NAME = 'store.json';
const ID = /^[0-9a-f]{32}$/;

export function newIdentity(): string {
  return JSON.stringify({ id: randomBytes(16).toString('hex'), made_at: new Date().toISOString() } satisfies StoreIdentity);
}

/** @throws StoreError `damaged`, naming where it is kept */
export function readIdentity(text: string, name: string): StoreIdentity {
  const value = parseOrNull(text);
  if (isJsonObject(value)) {
    const { id, made_at } = value;
    if (typeof id === 'string' && ID.test(id) && typeof made_at === 'string' && !Number.isNaN(Date.parse(made_at)))
      return { id, made_at };
  }
  throw new StoreError('damaged', `${name} holds no store id. Restore it from a backup: turns that began over this store run over no other`); // oxfmt-ignore
}

/**
 * Reads the id, or makes it. If several processes make it at once, one succeeds, and all of them read its id.
 * @throws StoreError `damaged`
 */
export async function openIdentity(storeDir: string, tempDir: string): Promise<StoreIdentity> {
  const path = join(storeDir, NAME);
  const present = await readFile(path, 'utf8').catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) return null;
    throw error;
  });
  if (present === null) await createFile(tempDir, path, Buffer.from(newIdentity(), 'utf8'));
  return readIdentity(present ?? (await readFile(path, 'utf8')), NAME);
}

function parseOrNull(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return null;
  }
}

// The store's secret, from which the salts of parts derive. Without it nobody can guess a redacted body from its hash; with it, a
// retried append gives the same part.

const KEY_NAME = 'salt.key';
const LENGTH = 32;

/**
 * Reads the key, or makes it. If several processes make it at once, one succeeds, and all of them read its key.
 * @throws StoreError `damaged` if it is not 32 bytes
 */
export async function openSaltKey(storeDir: string, tempDir: string): Promise<Buffer> {
  const path = join(storeDir, KEY_NAME);
  const present = await readFile(path).catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) return null;
    throw error;
  });
  if (present === null) await createFile(tempDir, path, newSaltKey());
  return checkedSaltKey(present ?? (await readFile(path)), KEY_NAME);
}

export function newSaltKey(): Buffer {
  return randomBytes(LENGTH);
}

/** @throws StoreError `damaged`, naming where the key is kept */
export function checkedSaltKey(key: Buffer, name: string): Buffer {
  if (key.length !== LENGTH) {
    throw new StoreError('damaged', `${name} has ${key.length} bytes, not ${LENGTH}. Restore it from a backup: without it, retried appends give other hashes`); // oxfmt-ignore
  }
  return key;
}

/**
 * First 32 hex of HMAC-SHA256(key, canonical `{scope, body}`): one body in two turns has two salts.
 * @param body canonical JSON
 */
export function saltOf(key: Buffer, scope: string, body: string): string {
  const text = `{"body":${body},"scope":${canonical(scope)}}`;
  return createHmac('sha256', key).update(text, 'utf8').digest('hex').slice(0, 32);
}

/** Whether the store made a part for this scope: a part that names no turn tells by its salt whose it is. */
export function isOfScope(store: Pick<Store, 'seal'>, scope: string, ref: string, body: Json): boolean {
  const { block } = store.seal(scope, { parent: null, kind: 'message', at: '1970-01-01T00:00:00.000Z', bodies: [body] });
  return block.parts[0] === ref;
}

/** Whether a part that names its turn is of this one. */
export function isPartOf(
  store: Pick<Store, 'seal'>,
  { turn_id, first_execution_run_id: run }: Owner,
  ref: string,
  body: Json,
): boolean {
  return isJsonObject(body) && body.turn_id === turn_id && (run === undefined || isOfScope(store, run, ref, body));
}

/** HMAC-SHA256(key, canonical `{purpose}`): the key of one purpose reveals nothing of another's. */
export function derivedKey(key: Buffer, purpose: string): Buffer {
  return createHmac('sha256', key).update(canonical({ purpose }), 'utf8').digest();
}

// Addresses of files that expire and cannot be made up: an HMAC over the reference and the expiry. The reference is the hash of a
// part that holds file name, type and hash of the bytes, so the HMAC covers all of them.

/** Seconds for which an address is valid. */
export const PRESIGNED_SECONDS = 3600;

/** @param expires Unix time, seconds */
export function presignature(key: Buffer, ref: string, expires: number): string {
  return createHmac('sha256', key)
    .update(canonical({ v: 'holdfast.presign/1', ref, expires }))
    .digest('base64url');
}

/** The address of a file below the gateway's own, and until when it is valid. */
export function presignedPath(key: Buffer, ref: string, nowMs: number): { path: string; expires_at: string } {
  const expires = Math.floor(nowMs / 1000) + PRESIGNED_SECONDS;
  const path = `/v1/blocks/${ref}?expires=${expires}&signature=${presignature(key, ref, expires)}`;
  return { path, expires_at: new Date(expires * 1000).toISOString() };
}

export type PresignatureCheck = 'good' | 'forged' | 'expired';

/** Compares in constant time. An address that is not ours is `forged`, whatever its date. */
export function checkPresignature(
  key: Buffer,
  address: { ref: string; expires: string; signature: string },
  nowMs: number,
): PresignatureCheck {
  if (!/^[1-9]\d{0,11}$/.test(address.expires)) return 'forged';
  const expires = Number(address.expires);
  const signature = Buffer.from(presignature(key, address.ref, expires));
  const got = Buffer.from(address.signature);
  if (got.length !== signature.length || !timingSafeEqual(got, signature)) return 'forged';
  return nowMs >= expires * 1000 ? 'expired' : 'good';
}

/** The file that a reference names: the part describes the file to its downloader. */
export interface StoredFile {
  filename: string;
  content_type: string;
  size: number;
  /** Hash of the bytes: their name in the store. */
  sha256: string;
}

/** The file that a part describes, or null: a reference may name any part. */
export function storedFile(body: Json): StoredFile | null {
  const file = isJsonObject(body) ? body.file : undefined;
  return isJsonObject(file) && typeof file.sha256 === 'string' ? (file as unknown as StoredFile) : null;
}
