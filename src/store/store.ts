/**
 * The interface of a store: content-addressed parts and blocks, effect records, registers and the trail. Files are the embedded
 * default; every implementation must be safe with several processes at once.
 */
import type { CallRecord } from '../shared/json/digests';
import type { Json, JsonObject } from '../shared/json/json';
import type { EffectRecord, EffectState, NewClaim } from '../record/effect';
import type { BlockContent } from '../record/write-block';
import type { Block, Part } from '../shared/turn/transcript';
import type { SealedBlock, StoredBlock } from './core/seal';
import type { TrailPage, TrailQuery } from './core/trail';

export interface NewBlock extends BlockContent {
  /** Hash of the block before; null for the first. */
  parent: string | null;
  /** Workflow time, ISO 8601. */
  at: string;
}

/** A block in the form that is hashed: its parts with their salts, in order. */
export interface BlockWithParts {
  hash: string;
  block: Block;
  parts: Part[];
}

/** Identifies a store, whichever process opens it and wherever it is copied to; made once. */
export interface StoreIdentity {
  /** 32 hex. */
  id: string;
  /** ISO 8601. For a store from before stores had ids: when a version with ids first opened it. */
  made_at: string;
}

/** A call as it was admitted, kept under its digest for the worker that runs it. */
export interface AdmittedRecord {
  record: CallRecord;
  /** The effective input. */
  input: JsonObject;
  /** The target that the tool declared; null: none. */
  target: JsonObject | null;
}

export interface Store {
  readonly identity: StoreIdentity;
  /**
   * Stores one body with a derived salt, as a part of its own. The same scope and body give the same part, so that a retry changes
   * nothing.
   * @param scope first execution run id of the turn
   * @returns the part's hash
   * @throws CanonicalError for a body that has no canonical form
   */
  putPart(scope: string, body: Json): Promise<string>;
  /** Body of a part of its own. @throws StoreError `not_found` or `damaged`, naming the hash */
  getPart(hash: string): Promise<Json>;
  /**
   * A part of its own with its salt: its canonical form has this hash. A part inside a block comes with `getSealedBlock`.
   * @throws StoreError `not_found` or `damaged`, naming the hash
   */
  getSealedPart(hash: string): Promise<Part>;
  /**
   * A block with its parts, hashed and ready to be stored; writes nothing.
   * @throws CanonicalError for a body that has no canonical form; TypeError for a malformed block
   */
  seal(scope: string, block: NewBlock): SealedBlock;
  /** Stores blocks with their parts. Once it resolves, they survive a power cut. */
  putBlocks(blocks: SealedBlock[]): Promise<void>;
  /** @throws StoreError `not_found` or `damaged`, naming the hash */
  getBlock(hash: string): Promise<StoredBlock>;
  /** The same with the salts of its parts; it is not cached. @throws StoreError like `getBlock` */
  getSealedBlock(hash: string): Promise<BlockWithParts>;
  /** Stores calls under their digests. Once it resolves, they survive a power cut. @returns the digests, in order */
  putCalls(calls: AdmittedRecord[]): Promise<string[]>;
  /** The call that a digest names; its hashes are checked. @throws StoreError `not_found` or `damaged`, naming the digest */
  getCall(digest: string): Promise<AdmittedRecord>;
  /**
   * Stores bytes as they are. Once it resolves, they survive a power cut.
   * @returns their SHA-256, hex
   */
  putBytes(bytes: Uint8Array): Promise<string>;
  /** @throws StoreError `not_found` or `damaged`, naming the hash */
  getBytes(sha256: string): Promise<Buffer>;
  readonly effects: EffectStore;
  readonly registers: RegisterStore;
  readonly trail: TrailStore;
  /**
   * 32 secret bytes, the same in every process that uses this store with the same key ring; each purpose has another key. It is for use at
   * once: it changes when the ring begins to write.
   * @param of `store`: they never change, and a reader of the store's own secret can make them
   */
  derivedKey(purpose: string, of?: 'store'): Buffer;
  /** For readiness: writes something small. @throws Error of the system or of the database */
  checkWritable(): Promise<void>;
  /** Releases connections; the store cannot be used afterwards. A process that ends need not call it. */
  close(): Promise<void>;
}

export type EffectFacts = Partial<Pick<EffectRecord, 'result_ref' | 'result_head' | 'later'>> & { alone?: string };

export interface EffectStore {
  /**
   * Claims the right to dispatch, atomically over all processes. Refused if this dispatch is claimed already, or if an earlier
   * dispatch of the key is not `not_applied`.
   * @param state `claimed`, or `not_applied` to block a dispatch that never began
   */
  claim(claim: NewClaim, state?: 'claimed' | 'not_applied'): Promise<{ claimed: boolean; record: EffectRecord }>;
  /**
   * Moves a record to another state. Allowed: claimed → pending | applied | not_applied | refused | in_doubt; pending → applied |
   * not_applied | in_doubt; in_doubt → applied | not_applied. Repeating the present state is accepted and changes nothing.
   * @param facts.later how a pending call ends
   * @param facts.alone the deadline that this attempt wrote: the move fails if another attempt has begun since
   * @throws StoreError `conflict` for any other move, `not_found`
   */
  move(key: string, dispatch: number, to: Exclude<EffectState, 'claimed'>, facts?: EffectFacts): Promise<EffectRecord>;
  /**
   * Sets another deadline of a record without a final outcome: an attempt begins, or has ended. The state stays.
   * @throws StoreError `conflict` if the record is closed, or its deadline is not `from`; `not_found`
   */
  renew(key: string, dispatch: number, from: EffectRecord['deadline'], to: string | null): Promise<EffectRecord>;
  /** The record of the highest dispatch, or null. */
  latest(key: string): Promise<EffectRecord | null>;
  /** The latest record for a turn's digest, in any step. */
  findByDigest(turnId: string, digest: string): Promise<EffectRecord | null>;
  /** The same by the action, in any revision of the call; `except` is the key of a record to leave out. */
  findByAct(turnId: string, act: string, except?: string): Promise<EffectRecord | null>;
}

/** The index of every decision and every destructive call, over all turns; `putBlocks` writes it. */
export interface TrailStore {
  /** @throws TrailQueryError */
  query(query: TrailQuery): Promise<TrailPage>;
}

/** `value` undefined: the register stays as it is. */
export type RegisterChange<T> = (value: Json, now: number) => { value?: Json; answer: T };

/**
 * Small values that workers have to agree on at this moment (who may run now, until when to leave an upstream alone), changed by
 * compare-and-swap: a row with a version in a database, numbered files in a folder. They are not a record: a value may be lost with
 * the machine, or after 30 days without a change unless its name begins with `kept/`, and is then null. `now` is the store's clock,
 * ms since 1970.
 */
export interface RegisterStore {
  /** Null if nothing was ever written. */
  read(name: string): Promise<{ value: Json; now: number }>;
  /**
   * Replaces the value by the result of `change`, atomically over all processes. `change` is pure: it runs again when another
   * process was faster and, seldom, when it is unknown whether the first time counted.
   */
  update<T>(name: string, change: RegisterChange<T>): Promise<T>;
}

/** The server that keeps the store, or its parts, gives an error. The message says what to do, and shows no password. */
export class StoreServerError extends Error {
  override readonly name = 'StoreServerError';
  /**
   * @param code of the server, the driver or the system; empty: it has none
   * @param isPassing whether the same request may succeed a little later
   */
  constructor(
    message: string,
    readonly code: string,
    readonly isPassing: boolean,
  ) {
    super(message);
  }
}

export class StoreError extends Error {
  override readonly name = 'StoreError';
  constructor(
    readonly code: 'not_found' | 'damaged' | 'conflict',
    message: string,
  ) {
    super(message);
  }
}
