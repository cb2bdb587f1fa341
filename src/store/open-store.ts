/** Opens the store that the settings HOLDFAST_STORE and HOLDFAST_PARTS name. */
import { fileURLToPath } from 'node:url';
import type { CodecKeys, Keys } from '../encryption/key-source';
import type { Json } from '../shared/json/json';
import { withoutPassword } from '../shared/text/secrets';
import type { CollectableBacking } from './collect/stock';
import { createStore } from './core/create-store';
import { encryptedBacking } from './core/encrypted-backing';
import { FileStore } from './files/file-store';
import { partsBacking } from './parts/parts-backing';
import type { PartStore } from './parts/part-store';
import type { Store } from './store';

export interface StoreSettings {
  /** As HOLDFAST_STORE. */
  store: string;
  codecKeys: CodecKeys | null;
  /** As HOLDFAST_PARTS; null: large parts are in the store itself. */
  parts: string | null;
}

/**
 * @param url `file:PATH`, absolute or relative to the working directory; `file:///PATH` is a URL; `postgres://…`
 * @param codecKeys the key ring with which its content is encrypted; null: it is plain
 * @param parts where large parts are: `s3://BUCKET/PREFIX`; null: in the store itself
 * @throws Error in one line, which never shows the password of a URL; PackageMissing for PostgreSQL without `pg`, and for parts
 * without `@aws-sdk/client-s3`; BadKeyRing
 */
export function openStore(url: string, codecKeys: CodecKeys | null = null, parts: string | null = null): Promise<Store> {
  return openStoreOf({ store: url, codecKeys, parts });
}

/** The store that the settings name, with the keys that they name. @throws Error as `openStore` */
export async function openStoreOf(settings: StoreSettings): Promise<Store> {
  return createStore(await openBacking(settings));
}

/** Rows or files, the part store over them, and encryption over both. @throws Error as `openStore` */
export async function openBacking({ store: url, codecKeys, parts }: StoreSettings): Promise<CollectableBacking> {
  const keys = await keysOf(codecKeys);
  const backing = kindOf(url) === 'files' ? await FileStore.backing(filePath(url)) : await (await postgres()).backing(url);
  try {
    const partStore = parts === null ? null : await openParts(parts, backing.identity.id);
    return encryptedBacking(partsBacking(backing, partStore), keys);
  } catch (error) {
    await backing.close();
    throw error;
  }
}

/** Loaded late: most stores have no part store. */
async function openParts(parts: string, storeId: string): Promise<PartStore> {
  return new (await import('./parts/s3-parts.js')).S3Parts(parts, storeId);
}

/** For people: whether large parts can be written and read. @throws Error as `openStore` */
export async function describeParts(parts: string): Promise<string> {
  const store = await openParts(parts, 'doctor');
  try {
    await store.check();
    return `${withoutPassword(parts)} can be written and read`;
  } finally {
    store.close();
  }
}

/** Describes a store for people, without a password. It does not touch tables; it makes folders. @throws Error as `openStore` */
export async function describeStore(url: string): Promise<string> {
  if (kindOf(url) === 'postgres') return (await postgres()).describe(url);
  await FileStore.open(filePath(url));
  return withoutPassword(url);
}

/** One register, for a caller that only reads: it does not touch tables; it makes folders. @throws Error as `openStore` */
export async function readRegister(
  { store: url, codecKeys }: { store: string; codecKeys: CodecKeys | null },
  name: string,
): Promise<{ value: Json; now: number }> {
  if (kindOf(url) === 'files') return (await openStore(url, codecKeys)).registers.read(name); // no part is in a register
  return (await postgres()).readRegister(url, name, await keysOf(codecKeys));
}

/** Loaded late: a plain store does not need it. */
async function keysOf(codecKeys: CodecKeys | null): Promise<Keys | null> {
  return codecKeys === null ? null : (await import('../encryption/key-source.js')).Keys.open(codecKeys);
}

/** Loaded late: a store in files does not need it. */
async function postgres() {
  return (await import('./postgres/postgres-store.js')).PostgresStore;
}

function kindOf(url: string): 'files' | 'postgres' {
  const scheme = /^[a-z][a-z0-9+.-]*:/i.exec(url)?.[0].toLowerCase();
  if (scheme === 'file:') return 'files';
  if (scheme === 'postgres:' || scheme === 'postgresql:') return 'postgres';
  throw new Error(
    `HOLDFAST_STORE=${scheme === undefined ? JSON.stringify(url) : `${scheme}…`} names no store; allowed: file:PATH or postgres://…`,
  );
}

/** The folder of a store in files. */
function filePath(url: string): string {
  const path = url.startsWith('file://') ? fileURLToPath(url) : url.slice('file:'.length);
  if (path === '') throw new Error('HOLDFAST_STORE=file: has no path; allowed: file:PATH');
  return path;
}
