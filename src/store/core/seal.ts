/** Computes the hashes of parts and blocks before they are written, and checks the shape of both. */
import { canonical } from '../../shared/json/canonical';
import { type Json, type JsonObject, isJsonObject } from '../../shared/json/json';
import { type Block, type BlockKind, type Part, BLOCK_KINDS } from '../../shared/turn/transcript';
import { isHash, sha256Hex } from '../../shared/json/sha256';

const PART_VERSION: Part['v'] = 'holdfast.part/1';

export interface SealedPart {
  hash: string;
  body: Json;
  /** Canonical JSON of the part. */
  text: string;
}

export interface SealedBlock {
  hash: string;
  block: Block;
  parts: SealedPart[];
  /** Canonical JSON of the block. */
  text: string;
}

/**
 * Canonical JSON of a part's body, which is hashed twice: for its salt and as a part.
 * @throws CanonicalError for a body that has no canonical form
 */
export function bodyText(body: Json): string {
  return canonical(body, ['body']);
}

/** @param text of `body`, by `bodyText` */
export function sealPart(salt: string, body: Json, text = bodyText(body)): SealedPart {
  const line = `{"body":${text},"salt":"${salt}","v":"${PART_VERSION}"}`; // canonical: the names are in order
  return { hash: sha256Hex(line), body, text: line };
}

/** @throws TypeError for a malformed block: a fault of the engine */
export function sealBlock(head: { parent: string | null; kind: BlockKind; at: string }, parts: SealedPart[]): SealedBlock {
  const { parent, kind, at } = head;
  const block: Block = { v: 'holdfast.block/1', parent, kind, at, parts: parts.map((part) => part.hash) };
  const fault = blockFault(objectJson(block));
  if (fault !== null) throw new TypeError(`Bad block: ${fault}`);
  const text = canonical(objectJson(block));
  return { hash: sha256Hex(text), block, parts, text };
}

// The required shape of parts and blocks, when they are written and when they are read.

const SALT = /^[0-9a-f]{32}$/;
const AT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$/;

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

export function isBlock(value: Json): value is JsonObject & Block {
  return blockFault(value) === null;
}

/** @returns what is wrong with a part, or null */
export function partFault(value: Json): string | null {
  if (!isJsonObject(value) || value.v !== PART_VERSION) return 'it is not a part (v: "holdfast.part/1")';
  if (!hasExactly(value, ['v', 'salt', 'body'])) return 'a part has exactly v, salt, body';
  if (typeof value.salt !== 'string' || !SALT.test(value.salt)) return 'salt is not 32 hex characters';
  return null;
}

export function isPart(value: Json): value is JsonObject & Part {
  return partFault(value) === null;
}

/** A block or part as plain JSON: an interface has no index signature, so the compiler requires this step. */
export function objectJson(object: Block | Part): Json {
  return { ...object } as Json;
}

function hasExactly(value: object, keys: string[]): boolean {
  const own = Object.keys(value);
  return own.length === keys.length && keys.every((key) => own.includes(key));
}

/** A block as it was read. Its readers never change it. */
export interface StoredBlock {
  hash: string;
  block: Block;
  /** The bodies of its parts, in order. */
  bodies: Json[];
}

/** A block without the salts of its parts. */
export function storedBlockOf({ hash, block, parts }: { hash: string; block: Block; parts: readonly Part[] }): StoredBlock {
  return { hash, block, bodies: parts.map((part) => part.body) };
}
