/** What a part and a block must look like, on the way in and on the way out. */
import { isJsonObject, type Json } from '../shared/json';
import { BLOCK_KINDS, type Block, type Part } from '../shared/transcript';

const HASH = /^[0-9a-f]{64}$/;
const SALT = /^[0-9a-f]{32}$/;
const AT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$/;

/** True for 64 lower-case hex characters. */
export function isHash(value: unknown): value is string {
  return typeof value === 'string' && HASH.test(value);
}

/** @returns what is wrong with a block, or null */
export function blockFault(value: Json): string | null {
  if (!isJsonObject(value) || value.v !== 'holdfast.block/1') return 'it is not a block (v: "holdfast.block/1")';
  if (!hasExactly(value, ['v', 'parent', 'kind', 'at', 'parts'])) return 'a block has exactly v, parent, kind, at, parts';
  const { parent, kind, at, parts } = value;
  if (parent !== null && !isHash(parent)) return 'parent is neither null nor a hash';
  if (!(BLOCK_KINDS as readonly unknown[]).includes(kind)) return `kind is not one of ${BLOCK_KINDS.join(', ')}`;
  if (typeof at !== 'string' || !AT.test(at) || Number.isNaN(Date.parse(at))) return 'at is not an ISO 8601 time in UTC';
  if (!Array.isArray(parts) || !parts.every(isHash)) return 'parts is not a list of hashes';
  return null;
}

/** @returns what is wrong with a part, or null */
export function partFault(value: Json): string | null {
  if (!isJsonObject(value) || value.v !== 'holdfast.part/1') return 'it is not a part (v: "holdfast.part/1")';
  if (!hasExactly(value, ['v', 'salt', 'body'])) return 'a part has exactly v, salt, body';
  if (typeof value.salt !== 'string' || !SALT.test(value.salt)) return 'salt is not 32 hex characters';
  return null;
}

/** A block as plain JSON: an interface has no index signature, so the compiler asks for this step. */
export function objectJson(object: Block | Part): Json {
  return { ...object } as Json;
}

function hasExactly(value: object, keys: string[]): boolean {
  const own = Object.keys(value);
  return own.length === keys.length && keys.every((key) => own.includes(key));
}
