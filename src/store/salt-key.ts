/**
 * The store's secret, from which the salts of parts derive: without it nobody can guess a redacted
 * body from its hash, with it a retried append gives the same part.
 */
import { createHmac, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { canonical } from '../shared/canonical';
import type { Json } from '../shared/json';
import { createFile, hasCode } from './atomic-file';
import { StoreError } from './store';

const NAME = 'salt.key';
const LENGTH = 32;

/**
 * Reads the key, or makes it. Of several processes that make it at once one wins, and all read that one.
 * @throws StoreError `damaged` if it is not 32 bytes
 */
export async function openSaltKey(storeDir: string, tempDir: string): Promise<Buffer> {
  const path = join(storeDir, NAME);
  const present = await readFile(path).catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) return null;
    throw error;
  });
  if (present === null) await createFile(tempDir, path, newSaltKey());
  return checkedSaltKey(present ?? (await readFile(path)), NAME);
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

/** First 32 hex of HMAC-SHA256(key, canonical `{scope, body}`): one body in two turns has two salts. */
export function saltOf(key: Buffer, scope: string, body: Json): string {
  return createHmac('sha256', key).update(canonical({ scope, body }), 'utf8').digest('hex').slice(0, 32);
}

/** HMAC-SHA256(key, canonical `{purpose}`): no purpose's key tells anything of another's. */
export function derivedKey(key: Buffer, purpose: string): Buffer {
  return createHmac('sha256', key).update(canonical({ purpose }), 'utf8').digest();
}
