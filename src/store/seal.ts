/** Parts and blocks on their way into a store: their hashes are known before anything is written. */
import { createHash } from 'node:crypto';
import { canonical } from '../shared/canonical';
import type { Json } from '../shared/json';
import type { Block, BlockKind, Part } from '../shared/transcript';
import { inputPreimage, type InputIdentity } from '../shared/digests';
import { blockFault, objectJson } from './object-shapes';

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

/** @throws CanonicalError for a body that has no canonical form */
export function sealPart(salt: string, body: Json): SealedPart {
  const part: Part = { v: 'holdfast.part/1', salt, body };
  const text = canonical(objectJson(part));
  return { hash: sha256(text), body, text };
}

/** @throws TypeError for a malformed block: a fault of the engine */
export function sealBlock(head: { parent: string | null; kind: BlockKind; at: string }, parts: SealedPart[]): SealedBlock {
  const { parent, kind, at } = head;
  const block: Block = { v: 'holdfast.block/1', parent, kind, at, parts: parts.map((part) => part.hash) };
  const fault = blockFault(objectJson(block));
  if (fault !== null) throw new TypeError(`Bad block: ${fault}`);
  const text = canonical(objectJson(block));
  return { hash: sha256(text), block, parts, text };
}

export function sha256(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex');
}

// Digests of shared/, hashed by node:crypto: the same texts and the same hashes, in a fraction of the sandbox's time.

/** As `hashJson` of shared/digests. @throws CanonicalError for a value that has no canonical form */
export function hashJson(value: Json): string {
  return sha256(canonical(value));
}

/** As `inputDigest` of shared/digests. */
export function inputDigest(identity: InputIdentity): string {
  return hashJson(inputPreimage(identity));
}
