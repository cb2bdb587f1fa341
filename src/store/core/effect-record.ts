/** The life of an effect record, whatever stores it: its shape, its moves, its bytes. */
import { canonical } from '../../shared/json/canonical';
import { isJsonObject, type Json } from '../../shared/json/json';
import { parseJson } from '../../shared/json/parse-json';
import { isHash, sha256 } from './seal';
import { StoreError, type EffectRecord, type EffectState, type NewClaim } from '../store';

const MOVES: Readonly<Record<EffectState, readonly EffectState[]>> = {
  claimed: ['applied', 'not_applied', 'refused', 'in_doubt'],
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

/** True if the state may follow. Repeating the present one is no move. */
export function canMoveEffect(from: EffectState, to: EffectState): boolean {
  return MOVES[from].includes(to);
}

/** @throws TypeError for a claim that no store may take: a fault of the engine */
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
    ...(deadline === undefined ? {} : { deadline }),
    ...(act === undefined ? {} : { act }),
    head,
    result_ref: null,
    result_head: null,
  };
  const fault = recordFault({ ...record });
  if (fault !== null) throw new TypeError(`Bad claim: ${fault}`);
  return record;
}

/**
 * The file's text: canonical `{record, sha256}`, so that a flipped byte is damage and never another state.
 */
export function encodeRecord(record: EffectRecord): Buffer {
  const body: Json = { ...record };
  return Buffer.from(canonical({ record: body, sha256: digest(body) }), 'utf8');
}

/** @throws StoreError `damaged`, naming the file */
export function decodeRecord(bytes: Buffer, name: string): EffectRecord {
  const damaged = (why: string): StoreError =>
    new StoreError(
      'damaged',
      `Effect record ${name} is damaged: ${why}. Restore it from a backup; until then its call stays in doubt`,
    );
  let file: Json;
  try {
    file = parseJson(bytes.toString('utf8'));
  } catch (error) {
    throw damaged((error as Error).message);
  }
  if (!isJsonObject(file) || file.record === undefined) throw damaged('it holds no record');
  if (digest(file.record) !== file.sha256) throw damaged('its checksum is wrong');
  const fault = recordFault(file.record);
  if (fault !== null) throw damaged(fault);
  return file.record as unknown as EffectRecord;
}

function digest(body: Json): string {
  return sha256(canonical(body));
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
  for (const field of ['dispatch', 'attempt'] as const) {
    if (!Number.isSafeInteger(value[field]) || (value[field] as number) < 1) return `${field} is not an integer from 1`;
  }
  for (const field of ['result_ref', 'result_head'] as const) {
    if (value[field] !== null && !isHash(value[field])) return `${field} is neither null nor a hash`;
  }
  return Object.hasOwn(MOVES, String(value.state)) ? null : 'state is unknown';
}
