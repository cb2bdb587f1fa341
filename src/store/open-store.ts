/** From the setting HOLDFAST_STORE to a store. */
import { fileURLToPath } from 'node:url';
import { FileStore } from './file-store';
import type { Store } from './store';

/**
 * @param url `file:PATH`, absolute or relative to the working directory; `file:///PATH` is a URL
 * @throws Error in one line, which never shows what a URL may hold of a password
 */
export async function openStore(url: string): Promise<Store> {
  const scheme = /^[a-z][a-z0-9+.-]*:/i.exec(url)?.[0].toLowerCase();
  if (scheme === 'file:') return FileStore.open(filePath(url));
  if (scheme === 'postgres:' || scheme === 'postgresql:') {
    throw new Error(`HOLDFAST_STORE=${scheme}//… is not in this build yet; use file:PATH`);
  }
  throw new Error(
    `HOLDFAST_STORE=${scheme === undefined ? JSON.stringify(url) : `${scheme}…`} names no store; allowed: file:PATH or postgres://…`,
  );
}

/** The folder of a store in files. */
export function filePath(url: string): string {
  const path = url.startsWith('file://') ? fileURLToPath(url) : url.slice('file:'.length);
  if (path === '') throw new Error('HOLDFAST_STORE=file: has no path; allowed: file:PATH');
  return path;
}
