/** Keeps the content of large parts outside the store of blocks, effects, registers and the trail. */
import { isHash } from '../../shared/json/sha256';

/**
 * A part store keeps bytes under `<UTC day>/<SHA-256>`. A name of an earlier day is never written again: what is stored again gets
 * the name of the present day. So a name of an earlier day that no row has will never be in one, and can be deleted beside writers.
 */
export interface PartStore {
  /** For messages. */
  readonly where: string;
  /** Once it resolves, the bytes survive what the store promises to survive. @returns their name */
  put(bytes: Uint8Array): Promise<string>;
  /** Null: it is missing. The caller checks the hash. */
  get(name: string): Promise<Buffer | null>;
  /** Every name, with its size in bytes. */
  list(): AsyncIterable<{ name: string; size: number }>;
  remove(names: string[]): Promise<void>;
  /** Writes, reads and deletes something small. @throws Error that says what to do */
  check(): Promise<void>;
  close(): void;
}

export function partName(sha256: string, now: number): string {
  return `${new Date(now).toISOString().slice(0, 10)}/${sha256}`;
}

/** Null: it is the name of no part. */
export function readPartName(name: string): { day: string; sha256: string } | null {
  const [day = '', sha256 = '', ...more] = name.split('/');
  return /^\d{4}-\d\d-\d\d$/.test(day) && isHash(sha256) && more.length === 0 ? { day, sha256 } : null;
}
