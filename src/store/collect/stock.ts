/** What a backing offers so that garbage can be collected in it. */
import type { EffectRecord } from '../../record/effect';
import type { ObjectLines } from '../core/content-store';
import type { StoreBacking } from '../core/create-store';
import type { PartStore } from '../parts/part-store';

export interface StockItem {
  hash: string;
  /** When it was stored last, ms since 1970. To store something again counts, at most an hour late. */
  storedAt: number;
  bytes: number;
}

/** The objects, or the files, of a backing. */
export interface Stock {
  list(): AsyncIterable<StockItem>;
  /** Deletes those of them that nobody has stored again since `before`, each atomically. @returns how many */
  remove(hashes: string[], before: number): Promise<number>;
}

export interface Collectable {
  objects: Stock;
  files: Stock;
  /** Every record, of each dispatch and each state. */
  effects(): AsyncIterable<EffectRecord>;
  /** Large lines, and the rows as they are, which name them. Absent: nothing is outside. */
  outside?: { parts: PartStore; rows(hashes: string[]): Promise<ObjectLines[]> };
}

/** Those of ours. */
export interface CollectableBacking extends StoreBacking {
  collectable: Collectable;
}
