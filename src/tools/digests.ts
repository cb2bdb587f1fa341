/** Digests of shared/, hashed by node:crypto: the same texts and the same hashes, in a fraction of the sandbox's time. */
import { canonical } from '../shared/canonical';
import { inputPreimage, type InputIdentity } from '../shared/digests';
import type { Json } from '../shared/json';
import { sha256 } from '../store/seal';

/** As `hashJson` of shared/digests. @throws CanonicalError for a value that has no canonical form */
export function hashJson(value: Json): string {
  return sha256(canonical(value));
}

/** As `inputDigest` of shared/digests. */
export function inputDigest(identity: InputIdentity): string {
  return hashJson(inputPreimage(identity));
}
