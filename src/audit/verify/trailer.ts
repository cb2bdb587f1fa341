/** Checks the last line of a bundle (the trailer): its key, its signature, and the bundle that it is a redaction of. */
import { verify } from 'node:crypto';
import { keyId, publicKey } from '../../attestation/public-key';
import { canonical } from '../../shared/json/canonical';
import { asJson } from '../../shared/json/json';
import type { EndBody } from '../format/lines';

/** Whether `public` is an Ed25519 key and `kid` is its id. */
export function carriesKey({ kid, public: raw }: EndBody): boolean {
  try {
    publicKey(raw);
    return kid === keyId(raw);
  } catch {
    return false;
  }
}

export function isSigned({ signature, ...body }: EndBody): boolean {
  const seal = Buffer.from(signature, 'base64url');
  if (seal.toString('base64url') !== signature) return false;
  return verify(null, Buffer.from(canonical(asJson(body))), publicKey(body.public), seal);
}

/**
 * The trailer of the bundle that this one is a redaction of. A redaction keeps `lines`, `complete`, `previous` and `contradiction`.
 * Null: this is no redaction, or (before version 3) it does not describe that bundle in full.
 */
export function beforeRedaction(end: EndBody): EndBody | null {
  const of = end.redaction?.of;
  if (of?.public === undefined || of.redaction === undefined) return null;
  const { root, kid, signature, public: key, redaction } = of;
  return { ...end, root, kid, signature, public: key, redaction };
}

/** The same for version 1 or 2. Null unless its key is in `keys` or in `end`, and the bundle itself was no redaction. */
export function olderBeforeRedaction(end: EndBody, keys: readonly { kid: string; public: string }[]): EndBody | null {
  const { of } = end.redaction!;
  const key = [...keys, end].find(({ kid }) => kid === of.kid);
  if (key === undefined) return null;
  const { root, kid, signature } = of;
  const original = { ...end, root, kid, signature, public: key.public, redaction: null };
  return carriesKey(original) && isSigned(original) ? original : null;
}
