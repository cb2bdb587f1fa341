/**
 * The part of `node:crypto` that the verifier uses: SHA-256, and signatures by Ed25519, ES256 and RS256. The browser's own
 * cryptography answers only later, while the verifier asks at once.
 */
import { ed25519 } from '@noble/curves/ed25519';
import { p256 } from '@noble/curves/p256';
import { sha256 } from '@noble/hashes/sha2';
import { PageBuffer } from './buffer';

const BAD_KEY = 'this is no public key that the verifier knows';

interface Ed25519Key {
  kind: 'ed25519';
  bytes: Uint8Array;
}
interface P256Key {
  kind: 'p256';
  bytes: Uint8Array;
}
interface RsaKey {
  kind: 'rsa';
  modulus: bigint;
  exponent: bigint;
  /** Of a signature, bytes. */
  size: number;
}
export type KeyObject = Ed25519Key | P256Key | RsaKey;

type Source = { key: Uint8Array; format: 'der' } | { key: Record<string, unknown>; format: 'jwk' };

/** @throws for a key of another kind, or a point that is not on its curve */
export function createPublicKey(source: Source): KeyObject {
  // The last 32 bytes of a SubjectPublicKeyInfo of Ed25519 are the key; the caller has written what stands before them.
  if (source.format === 'der') return onCurve({ kind: 'ed25519', bytes: source.key.slice(-32) });
  const { kty, crv, x, y, n, e } = source.key;
  const bytes = (text: unknown) => PageBuffer.from(String(text), 'base64url');
  if (kty === 'OKP' && crv === 'Ed25519') return onCurve({ kind: 'ed25519', bytes: bytes(x) });
  if (kty === 'EC' && crv === 'P-256')
    return onCurve({ kind: 'p256', bytes: PageBuffer.concat([PageBuffer.from([4]), bytes(x), bytes(y)]) });
  if (kty !== 'RSA') throw new Error(BAD_KEY);
  return { kind: 'rsa', modulus: integer(bytes(n)), exponent: integer(bytes(e)), size: bytes(n).length };
}

function onCurve(key: Ed25519Key | P256Key): KeyObject {
  if (key.kind === 'p256') p256.ProjectivePoint.fromHex(key.bytes).assertValidity();
  return key;
}

/** @param algorithm null for Ed25519, else `sha256` */
export function verify(
  _algorithm: string | null,
  data: Uint8Array,
  of: KeyObject | { key: KeyObject },
  signature: Uint8Array,
): boolean {
  const key = 'key' in of ? of.key : of;
  try {
    switch (key.kind) {
      case 'ed25519':
        return ed25519.verify(signature, data, key.bytes, { zip215: false });
      case 'p256':
        return p256.verify(signature, sha256(data), key.bytes, { lowS: false });
      case 'rsa':
        return isSignedByRsa(data, key, signature);
    }
  } catch {
    return false;
  }
}

/** DigestInfo of SHA-256 (RFC 8017, 9.2), up to the digest. */
const DIGEST_INFO = '3031300d060960864801650304020105000420';

/** PKCS #1 v1.5: the power must be exactly the padded digest. */
function isSignedByRsa(data: Uint8Array, { modulus, exponent, size }: RsaKey, signature: Uint8Array): boolean {
  const number = integer(signature);
  if (signature.length !== size || number >= modulus) return false;
  const tail = `00${DIGEST_INFO}${PageBuffer.from(sha256(data)).toString('hex')}`;
  const padded = `0001${'ff'.repeat(size - 2 - tail.length / 2)}${tail}`;
  return power(number, exponent, modulus) === BigInt(`0x${padded}`);
}

function power(base: bigint, exponent: bigint, modulus: bigint): bigint {
  let result = 1n;
  let square = base % modulus;
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = (result * square) % modulus;
    square = (square * square) % modulus;
  }
  return result;
}

function integer(bytes: Uint8Array): bigint {
  return BigInt(`0x${PageBuffer.from(bytes).toString('hex') || '0'}`);
}

export function createHash(algorithm: string) {
  if (algorithm !== 'sha256') throw new Error(`The page has no ${algorithm}.`);
  const hash = sha256.create();
  const self = {
    update: (data: string | Uint8Array) => {
      hash.update(data);
      return self;
    },
    digest: (encoding?: 'hex' | 'base64' | 'base64url') => {
      const bytes = PageBuffer.from(hash.digest());
      return encoding === undefined ? bytes : bytes.toString(encoding);
    },
  };
  return self;
}

// The files of the verifier also write and sign; the page does neither.

function absent(): never {
  throw new Error('The page does not sign.');
}
export const createPrivateKey = absent;
export const generateKeyPairSync = absent;
export const sign = absent;
export const randomBytes = absent;

/** A browser has no certificates for the verifier: timestamps by RFC 3161 are not checked in it. */
export const X509Certificate = undefined;
