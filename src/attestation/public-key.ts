/** Converts Ed25519 public keys: files and tokens have the raw 32 bytes in base64url, and a short id made from them. */
import { createPublicKey, type KeyObject } from 'node:crypto';
import { sha256Hex } from '../shared/json/sha256';

/** DER of an Ed25519 SubjectPublicKeyInfo (RFC 8410), up to the raw key. */
const SPKI_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');
const RAW = /^[A-Za-z0-9_-]{43}$/;

/** The raw key, base64url. */
export function rawPublic(key: KeyObject): string {
  return key.export({ format: 'der', type: 'spki' }).subarray(SPKI_PREFIX.length).toString('base64url');
}

/** @throws Error for what is not a raw Ed25519 key in base64url */
export function publicKey(raw: string): KeyObject {
  const bytes = Buffer.from(raw, 'base64url');
  if (!RAW.test(raw) || bytes.toString('base64url') !== raw) throw new Error('a public key is 32 bytes in base64url');
  return createPublicKey({ key: Buffer.concat([SPKI_PREFIX, bytes]), format: 'der', type: 'spki' });
}

/** The first 16 hex characters of the SHA-256 of the raw key. */
export function keyId(raw: string): string {
  return sha256Hex(Buffer.from(raw, 'base64url')).slice(0, 16);
}
