/** Makes a store over a backing: files, a database, or something of a user's own (docs/embedding.md). */
import type { RegisterStore, Store, StoreIdentity } from '../store';
import { ContentStore, type Bytes, type Objects } from './content-store';
import { encryptedBacking } from './encrypted-backing';
import { Keys, type CodecKeys } from '../../encryption/key-source';
import { Effects, type EffectVersions } from './effects';
import { TrailPages, type TrailSource } from './trail-pages';

/**
 * Keeps the data of a store. The code above it makes and checks hashes, seals, the states of effects and the pages of the trail.
 * Every part must be safe with several processes at once; `testStore` of `holdfast/testing` finds out whether it is.
 */
export interface StoreBacking {
  identity: StoreIdentity;
  /** 32 random bytes, made once per store, secret, and the same in every process. */
  saltKey: Buffer;
  /** `encryptBacking` makes it. */
  derive?(secret: Buffer): Buffer;
  objects: Objects;
  bytes: Bytes;
  effects: EffectVersions;
  registers: RegisterStore;
  trail: TrailSource;
  /** For readiness: writes something small. @throws Error of the backing */
  checkWritable(): Promise<void>;
  close(): Promise<void>;
}

/**
 * The same backing, with its content encrypted, for `createStore`; `openStore` takes the key ring itself.
 * @throws BadKeyRing
 */
export async function encryptBacking(backing: StoreBacking, codecKeys: CodecKeys): Promise<StoreBacking> {
  return encryptedBacking(backing, await Keys.open(codecKeys));
}

/** @throws TypeError for a salt key of another length */
export function createStore({ effects, trail, ...backing }: StoreBacking): Store {
  if (backing.saltKey.length !== 32) throw new TypeError(`The salt key has ${backing.saltKey.length} bytes; 32 are needed.`);
  return new ContentStore((readBlocks) => ({
    ...backing,
    effects: new Effects(effects),
    trail: new TrailPages(trail, readBlocks),
  }));
}
