/**
 * What a store offers: content-addressed parts and blocks, and effect records. Files are the
 * embedded default; every implementation must be safe with several processes at once.
 */
import type { Json } from '../shared/json';
import type { Block } from '../shared/transcript';

export interface Store {
  /**
   * Stores one body behind a derived salt. The same scope and body give the same part, so that a
   * retried append changes nothing.
   * @param scope first execution run id of the turn
   * @returns the part's hash
   */
  putPart(scope: string, body: Json): Promise<string>;
  /** @throws StoreError `not_found` or `damaged`, naming the hash */
  getPart(hash: string): Promise<Json>;
  /** @returns the block's hash */
  putBlock(block: Block): Promise<string>;
  /** @throws StoreError `not_found` or `damaged`, naming the hash */
  getBlock(hash: string): Promise<Block>;
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
