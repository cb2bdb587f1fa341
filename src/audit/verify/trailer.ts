/** The last line of a bundle: who has signed it, and of which bundle it was made. */
import { verify } from 'node:crypto';
import { keyId, publicKey } from '../../attestation/public-key';
import { canonical } from '../../shared/json/canonical';
import type { Json } from '../../shared/json/json';
import type { EndBody } from '../format/lines';

/** The key is an Ed25519 key, and has its id. */
export function carriesKey({ kid, public: raw }: EndBody): boolean {
  try {
    publicKey(raw);
    return kid === keyId(raw);
  } catch {
    return false;
  }
}

export function isSigned({ signature, ...signed }: EndBody): boolean {
  const seal = Buffer.from(signature, 'base64url');
  if (seal.toString('base64url') !== signature) return false;
  return verify(null, Buffer.from(canonical(signed as unknown as Json)), publicKey(signed.public), seal);
}

/**
 * The trailer of the bundle that this one was made of: a redaction leaves the number of lines, what is complete, what was before and what
 * contradicts itself as they were. Null: it was made of none, or (before version 3) does not say of which in full.
 */
export function beforeRedaction(end: EndBody): EndBody | null {
  const of = end.redaction?.of;
  if (of?.public === undefined || of.redaction === undefined) return null;
  const { root, kid, signature, public: key, redaction } = of;
  return { ...end, root, kid, signature, public: key, redaction };
}

/** The same of version 1 or 2, as far as anybody can tell: the key is one of these, and the bundle itself was no redaction. */
export function olderBeforeRedaction(end: EndBody, keys: readonly { kid: string; public: string }[]): EndBody | null {
  const { of } = end.redaction!;
  const key = [...keys, end].find(({ kid }) => kid === of.kid);
  if (key === undefined) return null;
  const { root, kid, signature } = of;
  const made = { ...end, root, kid, signature, public: key.public, redaction: null };
  return carriesKey(made) && isSigned(made) ? made : null;
}
