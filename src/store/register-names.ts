/** What a register is called where it is kept. */
import { sha256 } from './seal';

/** A register whose name begins so is never swept, however long nobody changes it. */
export const KEPT = 'kept/';
const KEPT_KEY = 'kept-';

/** Hex, so that it can be a folder and a key whatever the name is. */
export function registerKey(name: string): string {
  return `${name.startsWith(KEPT) ? KEPT_KEY : ''}${sha256(name)}`;
}

export function isKeptKey(key: string): boolean {
  return key.startsWith(KEPT_KEY);
}
