/** Opens the store that the setting HOLDFAST_STORE names. */
import { fileURLToPath } from 'node:url';
import type { CodecKeys, Keys } from '../encryption/key-source';
import type { Json } from '../shared/json/json';
import { withoutPassword } from '../shared/text/secrets';
import { FileStore } from './files/file-store';
import type { Store } from './store';

/**
 * @param url `file:PATH`, absolute or relative to the working directory; `file:///PATH` is a URL; `postgres://…`
 * @param codecKeys the key ring with which its content is encrypted; null: it is plain
 * @throws Error in one line, which never shows the password of a URL; PackageMissing for PostgreSQL without `pg`; BadKeyRing
 */
export async function openStore(url: string, codecKeys: CodecKeys | null = null): Promise<Store> {
  const keys = await keysOf(codecKeys);
  return kindOf(url) === 'files' ? FileStore.open(filePath(url), keys) : (await postgres()).open(url, keys);
}

/** The store that the settings name, with the keys that they name. @throws Error as `openStore` */
export function openStoreOf({ store, codecKeys }: { store: string; codecKeys: CodecKeys | null }): Promise<Store> {
  return openStore(store, codecKeys);
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
  if (kindOf(url) === 'files') return (await openStore(url, codecKeys)).registers.read(name);
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
