/**
 * What a store offers: content-addressed parts and blocks, and effect records. Files are the
 * embedded default; every implementation must be safe with several processes at once.
 */
import type { Json } from '../shared/json';
import type { Block, BlockKind } from '../shared/transcript';
import type { SealedBlock } from './seal';

export interface NewBlock {
  /** Hash of the block before; null for the first. */
  parent: string | null;
  kind: BlockKind;
  /** Workflow time, ISO 8601. */
  at: string;
  /** One part each, in order. */
  bodies: Json[];
}

/** A block as it was read: never changed by whoever reads it. */
export interface StoredBlock {
  hash: string;
  block: Block;
  /** The bodies of its parts, in order. */
  bodies: Json[];
}

export interface Store {
  /**
   * Stores one body behind a derived salt, as a part of its own. The same scope and body give the same
   * part, so that a retry changes nothing.
   * @param scope first execution run id of the turn
   * @returns the part's hash
   * @throws CanonicalError for a body that has no canonical form
   */
  putPart(scope: string, body: Json): Promise<string>;
  /** Body of a part of its own. @throws StoreError `not_found` or `damaged`, naming the hash */
  getPart(hash: string): Promise<Json>;
  /**
   * A block with its parts, hashed and ready to be stored; writes nothing.
   * @throws CanonicalError for a body that has no canonical form; TypeError for a malformed block
   */
  seal(scope: string, block: NewBlock): SealedBlock;
  /** Stores blocks with their parts. Once it resolves they outlive a power cut. */
  putBlocks(blocks: SealedBlock[]): Promise<void>;
  /** @throws StoreError `not_found` or `damaged`, naming the hash */
  getBlock(hash: string): Promise<StoredBlock>;
  readonly effects: EffectStore;
}

export type EffectState = 'claimed' | 'applied' | 'not_applied' | 'refused' | 'in_doubt';

/** The fence in front of one destructive call: claimed before dispatch, never dispatched twice. */
export interface EffectRecord {
  v: 'holdfast.effect/1';
  idempotency_key: string;
  turn_id: string;
  digest: string;
  /** From 1; a new dispatch needs the one before to be proven `not_applied`. */
  dispatch: number;
  state: EffectState;
  tool: string;
  run_id: string;
  attempt: number;
  claimed_at: string;
  updated_at: string;
  /** The transcript's head after the dispatch block. */
  head: string;
  /** Part with the envelope, once there is one. */
  result_ref: string | null;
  /** Head after the effect block, once there is one. */
  result_head: string | null;
}

export type NewClaim = Pick<
  EffectRecord,
  'idempotency_key' | 'turn_id' | 'digest' | 'dispatch' | 'tool' | 'run_id' | 'attempt' | 'head'
>;

export interface EffectStore {
  /**
   * Claims the right to dispatch, atomically over all processes. Refused when this dispatch is
   * claimed already, or when an earlier dispatch of the key is anything but `not_applied`.
   * @param state `claimed`, or `not_applied` to fence off a dispatch that never began
   */
  claim(claim: NewClaim, state?: 'claimed' | 'not_applied'): Promise<{ claimed: boolean; record: EffectRecord }>;
  /**
   * Moves a record on. Allowed: claimed → applied | not_applied | refused | in_doubt;
   * in_doubt → applied | not_applied. Repeating the present state is accepted and changes nothing.
   * @throws StoreError `conflict` for any other move, `not_found`
   */
  move(
    key: string,
    dispatch: number,
    to: Exclude<EffectState, 'claimed'>,
    facts?: Partial<Pick<EffectRecord, 'result_ref' | 'result_head'>>,
  ): Promise<EffectRecord>;
  /** The record of the highest dispatch, or null. */
  latest(key: string): Promise<EffectRecord | null>;
  /** The latest record of a turn's digest, whatever the step. */
  findByDigest(turnId: string, digest: string): Promise<EffectRecord | null>;
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
