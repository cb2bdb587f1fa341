/**
 * A signed tree head: the witness says with its own key that its log had this size and this hash at this time. Everything that a
 * witness proves goes back to one of these.
 */
import { verify } from 'node:crypto';
import { keyId, publicKey } from '../attestation/public-key';
import type { SigningKey } from '../attestation/signing-key';
import { canonical } from '../shared/json/canonical';
import { asJson, isJsonObject, type Json } from '../shared/json/json';
import { isHash } from '../shared/json/sha256';

export const HEAD_VERSION = 'holdfast.tree_head/1';

export interface TreeHead {
  v: typeof HEAD_VERSION;
  /** Number of entries. */
  size: number;
  /** Hash of the Merkle tree over them. */
  tree: string;
  /** When it was signed: ISO 8601 in UTC with milliseconds, by the clock of the witness. Later heads have no earlier time. */
  at: string;
  /** First 16 hex characters of the SHA-256 of the raw public key. */
  kid: string;
  /** The raw public key, base64url: to find the key, not to trust it. */
  public: string;
  /** Ed25519 over the canonical form of the rest, base64url. */
  signature: string;
}

export function signHead(key: SigningKey, facts: Pick<TreeHead, 'size' | 'tree' | 'at'>): TreeHead {
  const head = { v: HEAD_VERSION, ...facts, kid: key.kid, public: key.public } as const;
  return { ...head, signature: key.sign(Buffer.from(canonical(head))).toString('base64url') };
}

const FIELDS = 'at,kid,public,signature,size,tree,v';

/** Null: it is no tree head, or the key that it carries has not signed it. That nobody need trust this key is another question. */
export function readHead(value: Json | undefined): TreeHead | null {
  if (!isJsonObject(value ?? null)) return null;
  const head = value as unknown as TreeHead;
  if (Object.keys(head).sort().join() !== FIELDS || head.v !== HEAD_VERSION || !isHash(head.tree) || !isInstant(head.at))
    return null;
  if (!Number.isSafeInteger(head.size) || head.size < 0) return null;
  return [head.kid, head.public, head.signature].every((text) => typeof text === 'string') && isSigned(head) ? head : null;
}

function isSigned({ signature, ...head }: TreeHead): boolean {
  const seal = Buffer.from(signature, 'base64url');
  if (seal.toString('base64url') !== signature) return false;
  try {
    return head.kid === keyId(head.public) && verify(null, Buffer.from(canonical(asJson(head))), publicKey(head.public), seal);
  } catch {
    return false;
  }
}

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** A time as receipts have it: such texts sort as the times do. */
export function isInstant(value: unknown): value is string {
  return typeof value === 'string' && INSTANT.test(value) && !Number.isNaN(Date.parse(value));
}
