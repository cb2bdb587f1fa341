/** The id of a store: made by whoever opens it first, and part of all that is approved over it. */
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isJsonObject, type Json } from '../shared/json';
import { createFile, hasCode } from './atomic-file';
import { StoreError, type StoreIdentity } from './store';

const NAME = 'store.json';
const ID = /^[0-9a-f]{32}$/;

export function newIdentity(): string {
  return JSON.stringify({ id: randomBytes(16).toString('hex'), made_at: new Date().toISOString() } satisfies StoreIdentity);
}

/** @throws StoreError `damaged`, naming where it is kept */
export function readIdentity(text: string, name: string): StoreIdentity {
  const value = parsed(text);
  if (isJsonObject(value)) {
    const { id, made_at } = value;
    if (typeof id === 'string' && ID.test(id) && typeof made_at === 'string' && !Number.isNaN(Date.parse(made_at)))
      return { id, made_at };
  }
  throw new StoreError('damaged', `${name} holds no store id. Restore it from a backup: turns that began over this store run over no other`); // oxfmt-ignore
}

/**
 * Reads the id, or makes it. Of several processes that make it at once one wins, and all read that one.
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

function parsed(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return null;
  }
}
