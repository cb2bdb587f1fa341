/** Registers are named values in the store that change. Their keys, and a queue of changes for each name. */
import type { Json } from '../../shared/json/json';
import { parseJson } from '../../shared/json/parse-json';
import { sha256Hex } from '../../shared/json/sha256';
import { StoreError } from '../store';

/** A register whose name begins with this is never swept, even if it never changes. */
export const PERMANENT_PREFIX = 'kept/';
const KEPT_KEY = 'kept-';

/** Of the limits of tools: they change with each call, and after a power cut no process relies on them. */
export const LIMIT_PREFIX = 'tool/';

/**
 * Whether a value must be on disk before anybody acts on it: a sign-out that is forgotten would sign in again, a challenge or a signed
 * start would count twice.
 */
export function mustSurvive(name: string): boolean {
  return !name.startsWith(LIMIT_PREFIX);
}

/**
 * The value that a register has as this text. Of a limit, half a file counts as none.
 * @param where it stands, for the error
 * @throws StoreError `damaged`
 */
export function registerValue(name: string, text: string, where: string): Json {
  try {
    return parseJson(text);
  } catch {
    if (!mustSurvive(name)) return null;
    throw new StoreError('damaged', `The register ${name} is damaged: ${where} is not JSON. Restore it from a backup`);
  }
}

/** A hash, so that any name gives a valid folder name and key. */
export function registerKey(name: string): string {
  return `${name.startsWith(PERMANENT_PREFIX) ? KEPT_KEY : ''}${sha256Hex(name)}`;
}

export function isKeptKey(key: string): boolean {
  return key.startsWith(KEPT_KEY);
}

/**
 * Runs the work of one process under one name in sequence, so that the process does not race with itself. Names are independent.
 */
export class QueueByName {
  private readonly last = new Map<string, Promise<unknown>>();

  add<T>(name: string, work: () => Promise<T>): Promise<T> {
    const before = this.last.get(name) ?? Promise.resolve();
    const mine = before.catch(() => undefined).then(work);
    this.last.set(name, mine);
    const forget = () => void (this.last.get(name) === mine && this.last.delete(name));
    mine.then(forget, forget);
    return mine;
  }
}
