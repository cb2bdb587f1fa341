/** What a register is called where it is kept. */
import { sha256 } from './seal';

/** A register whose name begins so is never swept, however long nobody changes it. */
export const PERMANENT_PREFIX = 'kept/';
const KEPT_KEY = 'kept-';

/** Hex, so that it can be a folder and a key whatever the name is. */
export function registerKey(name: string): string {
  return `${name.startsWith(PERMANENT_PREFIX) ? KEPT_KEY : ''}${sha256(name)}`;
}

export function isKeptKey(key: string): boolean {
  return key.startsWith(KEPT_KEY);
}

/** What one process does under one name goes one after the other, so that it does not race with itself; names are independent. */
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
