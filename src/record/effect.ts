/**
 * Effect records: the guard of each destructive call, beside the transcript. This is their one writer and their one reader; the
 * order in which states may follow is here too. Stores keep the bytes (`store/core/effects.ts`).
 */
import { isJsonObject, type Json, type JsonObject } from '../shared/json/json';
import { optional } from '../shared/json/optional';
import type { LaterCompletion } from '../shared/io/call';
import { textOrNull } from './fields';
import { isHash } from '../shared/json/sha256';

export type EffectState = 'claimed' | 'pending' | 'applied' | 'not_applied' | 'refused' | 'in_doubt';

/** The guard of one destructive call: claimed before its dispatch, so that no dispatch happens twice. */
export interface EffectRecord {
  v: 'holdfast.effect/1';
  idempotency_key: string;
  turn_id: string;
  digest: string;
  /** From 1; a new dispatch needs proof that the one before was `not_applied`. */
  dispatch: number;
  state: EffectState;
  tool: string;
  run_id: string;
  attempt: number;
  claimed_at: string;
  updated_at: string;
  /**
   * Until then an attempt may act, by the clock of its worker; null once no attempt is under way. Absent in older records, and if
   * nothing was dispatched.
   */
  deadline?: string | null;
  /** How the call ends, once its tool has handed that on to somebody else (`ctx.later`). Absent: it has not. */
  later?: LaterCompletion;
  /** `actHash`: the same for every revision of the call with this input. Absent in older records. */
  act?: string;
  /** The transcript's head after the dispatch block. */
  head: string;
  /** Part with the envelope, once there is one. */
  result_ref: string | null;
  /** Head after the effect block, once there is one. */
  result_head: string | null;
}

export type NewClaim = Pick<
  EffectRecord,
  'idempotency_key' | 'turn_id' | 'digest' | 'dispatch' | 'tool' | 'run_id' | 'attempt' | 'act' | 'head' | 'deadline'
>;

const MOVES: Readonly<Record<EffectState, readonly EffectState[]>> = {
  claimed: ['pending', 'applied', 'not_applied', 'refused', 'in_doubt'],
  pending: ['applied', 'not_applied', 'in_doubt'],
  in_doubt: ['applied', 'not_applied'],
  applied: [],
  not_applied: [],
  refused: [],
};

const KEY = /^hf_[0-9a-f]{40}$/;

/** `hf_` and 40 hex; checked before the key becomes a path. */
export function isEffectKey(key: unknown): key is string {
  return typeof key === 'string' && KEY.test(key);
}

/** True if the state may follow. Repeating the present state is not a transition. */
export function canMoveEffect(from: EffectState, to: EffectState): boolean {
  return MOVES[from].includes(to);
}

/** @throws TypeError for a claim that no store may accept: a fault of the engine */
export function newRecord(claim: NewClaim, state: 'claimed' | 'not_applied', at: string): EffectRecord {
  const { idempotency_key, turn_id, digest, dispatch, tool, run_id, attempt, act, head, deadline } = claim;
  const record: EffectRecord = {
    v: 'holdfast.effect/1',
    idempotency_key,
    turn_id,
    digest,
    dispatch,
    state,
    tool,
    run_id,
    attempt,
    claimed_at: at,
    updated_at: at,
    ...optional({ deadline, act }),
    head,
    result_ref: null,
    result_head: null,
  };
  const fault = recordFault({ ...record });
  if (fault !== null) throw new TypeError(`Bad claim: ${fault}`);
  return record;
}

/** The record; a text: why it is none. */
export function readEffectRecord(value: Json): EffectRecord | string {
  return isEffectRecord(value) ? value : (recordFault(value) ?? 'it is no record');
}

function isEffectRecord(value: Json): value is JsonObject & EffectRecord {
  return recordFault(value) === null;
}

function recordFault(value: Json): string | null {
  if (!isJsonObject(value) || value.v !== 'holdfast.effect/1') return 'v is not "holdfast.effect/1"';
  if (!isEffectKey(value.idempotency_key)) return 'idempotency_key is not hf_ and 40 lower-case hex characters';
  for (const field of ['digest', 'head'] as const)
    if (!isHash(value[field])) return `${field} is not 64 lower-case hex characters`;
  if (value.act !== undefined && !isHash(value.act)) return 'act is not 64 lower-case hex characters';
  for (const field of ['turn_id', 'tool', 'run_id', 'claimed_at', 'updated_at'] as const) {
    if (typeof value[field] !== 'string' || value[field] === '') return `${field} is not a text`;
  }
  const { deadline = null } = value;
  if (deadline !== null && (typeof deadline !== 'string' || Number.isNaN(Date.parse(deadline)))) return 'deadline is no time';
  if (value.later !== undefined && !isLater(value.later)) return 'later does not say how the call ends';
  if (value.state === 'pending' && value.later === undefined) return 'it is pending, and does not say how it ends';
  for (const field of ['dispatch', 'attempt'] as const) {
    if (!Number.isSafeInteger(value[field]) || (value[field] as number) < 1) return `${field} is not an integer from 1`;
  }
  for (const field of ['result_ref', 'result_head'] as const) {
    if (value[field] !== null && !isHash(value[field])) return `${field} is neither null nor a hash`;
  }
  return Object.hasOwn(MOVES, String(value.state)) ? null : 'state is unknown';
}

function isLater(value: Json): boolean {
  if (!isJsonObject(value) || !isHash(value.token_hash)) return false;
  const { expires_at, poll_ms = 1 } = value;
  return typeof expires_at === 'string' && !Number.isNaN(Date.parse(expires_at)) && Number.isSafeInteger(poll_ms);
}

/** The fields of a record in a bundle, which anybody may have made: null is what is missing, or has a wrong type. */
export interface EffectRecordFacts extends Record<'digest' | 'state' | 'run_id' | 'claimed_at' | 'updated_at', string | null> {
  dispatch: number | null;
  attempt: number | null;
}

export function effectRecordFacts({
  digest,
  state,
  run_id,
  claimed_at,
  updated_at,
  dispatch,
  attempt,
}: JsonObject): EffectRecordFacts {
  return {
    digest: textOrNull(digest),
    state: textOrNull(state),
    run_id: textOrNull(run_id),
    claimed_at: textOrNull(claimed_at),
    updated_at: textOrNull(updated_at),
    dispatch: typeof dispatch === 'number' ? dispatch : null,
    attempt: typeof attempt === 'number' ? attempt : null,
  };
}
