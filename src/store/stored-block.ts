import type { Json } from '../shared/json';
import type { Block } from '../shared/transcript';

/** A block as it was read: never changed by whoever reads it. */
export interface StoredBlock {
  hash: string;
  block: Block;
  /** The bodies of its parts, in order. */
  bodies: Json[];
}
