/**
 * Addresses of files that work for a while, and for nobody who made them up: an HMAC over what they name and until
 * when. The name is the hash of a part that holds file name, type and hash of the bytes, so it covers all of them.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { canonical } from '../../shared/json/canonical';
import { isJsonObject, type Json } from '../../shared/json/json';

/** Seconds for which an address is good. */
export const PRESIGNED_SECONDS = 3600;

/** @param expires Unix time, seconds */
export function presignature(key: Buffer, ref: string, expires: number): string {
  return createHmac('sha256', key)
    .update(canonical({ v: 'holdfast.presign/1', ref, expires }))
    .digest('base64url');
}

export type Presigned = 'good' | 'forged' | 'expired';

/** In constant time; an address that is not ours is `forged`, whatever its date. */
export function checkPresigned(
  key: Buffer,
  given: { ref: string; expires: string; signature: string },
  nowMs: number,
): Presigned {
  if (!/^[1-9]\d{0,11}$/.test(given.expires)) return 'forged';
  const expires = Number(given.expires);
  const wanted = Buffer.from(presignature(key, given.ref, expires));
  const got = Buffer.from(given.signature);
  if (got.length !== wanted.length || !timingSafeEqual(got, wanted)) return 'forged';
  return nowMs >= expires * 1000 ? 'expired' : 'good';
}

/** What the ref of a file names: the part that tells whoever downloads it what it is. */
export interface StoredFile {
  filename: string;
  content_type: string;
  size: number;
  /** Of the bytes: their name in the store. */
  sha256: string;
}

/** The file that a part names, or null: a ref may name any part. */
export function storedFile(body: Json): StoredFile | null {
  const file = isJsonObject(body) ? body.file : undefined;
  return isJsonObject(file) && typeof file.sha256 === 'string' ? (file as unknown as StoredFile) : null;
}
