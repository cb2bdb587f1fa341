/**
 * The public key of a passkey: a JWK with exactly the fields that its kind needs, in their one spelling. Its id is made from its
 * canonical form, which is what RFC 7638 hashes too.
 */
import { createPublicKey, verify, type KeyObject } from 'node:crypto';
import { hashJson } from '../shared/json/digests';
import { isJsonObject, type Json, type JsonObject } from '../shared/json/json';
import { hasShape, oneOf, type Rule, type Shape } from './claims';

export type PasskeyAlg = 'ES256' | 'EdDSA' | 'RS256';

export interface PasskeyKey {
  alg: PasskeyAlg;
  /** First 16 hex characters of the SHA-256 of the canonical JWK. */
  kid: string;
  key: KeyObject;
  /** Bytes of each of its signatures. */
  signatureBytes: number;
}

/** Sizes of RSA moduli, bytes: 2048 to 3072 bits. Security keys and Windows make 2048; a longer one would not fit into a decision. */
const RSA_BYTES = { least: 256, most: 384 };

/** Bytes in base64url, in their one spelling; null: it is none. */
export function bytesOf(text: Json | undefined): Buffer | null {
  if (typeof text !== 'string' || text === '') return null;
  const bytes = Buffer.from(text, 'base64url');
  return bytes.toString('base64url') === text ? bytes : null;
}

const of32Bytes: Rule = (value) => bytesOf(value)?.length === 32;
const modulus: Rule = (value) => {
  const bytes = bytesOf(value);
  return bytes !== null && bytes.length >= RSA_BYTES.least && bytes.length <= RSA_BYTES.most && bytes[0]! >= 0x80;
};

const SHAPES: Record<PasskeyAlg, Shape> = {
  ES256: { kty: oneOf('EC'), crv: oneOf('P-256'), x: of32Bytes, y: of32Bytes },
  EdDSA: { kty: oneOf('OKP'), crv: oneOf('Ed25519'), x: of32Bytes },
  RS256: { kty: oneOf('RSA'), n: modulus, e: oneOf('AQAB') },
};

/** Null: it is no key that a passkey may have. */
export function passkeyKey(jwk: Json): PasskeyKey | null {
  const alg = (Object.keys(SHAPES) as PasskeyAlg[]).find((name) => hasShape(jwk, SHAPES[name]));
  if (alg === undefined || !isJsonObject(jwk)) return null;
  const key = publicKeyOf(jwk);
  if (key === null) return null;
  return { alg, kid: passkeyId(jwk), key, signatureBytes: alg === 'RS256' ? bytesOf(jwk.n)!.length : 64 };
}

/** The whole hash is what people compare; its first 16 characters are the passkey's id. */
export function fingerprintOf(jwk: JsonObject): string {
  return hashJson(jwk);
}

export function passkeyId(jwk: JsonObject): string {
  return fingerprintOf(jwk).slice(0, 16);
}

/** Null for a point that is not on the curve, for instance. */
function publicKeyOf(jwk: JsonObject): KeyObject | null {
  try {
    return createPublicKey({ key: jwk, format: 'jwk' });
  } catch {
    return null;
  }
}

const ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
/** Half of the order of P-256. Of the two signatures that its equation accepts, only that with the lower `s` counts. */
const HALF_ORDER = ORDER / 2n;

/** Whether the passkey signed these bytes; an ES256 signature is `r` and `s`, 32 bytes each. */
export function isSignedBy({ alg, key, signatureBytes }: PasskeyKey, bytes: Uint8Array, signature: Uint8Array): boolean {
  if (signature.length !== signatureBytes) return false;
  if (alg === 'EdDSA') return verify(null, bytes, key, signature);
  if (alg === 'RS256') return verify('sha256', bytes, key, signature);
  return integer(signature.subarray(32)) <= HALF_ORDER && verify('sha256', bytes, { key, dsaEncoding: 'ieee-p1363' }, signature);
}

/**
 * A signature of an authenticator in its one spelling: of ES256, whose DER has two integers, `r` and the lower `s`.
 * @returns null for what has no such form
 */
export function plainSignature(alg: PasskeyAlg, signature: Uint8Array): Buffer | null {
  if (alg !== 'ES256') return Buffer.from(signature);
  const integers = derIntegers(signature);
  if (integers === null) return null;
  const [r, s] = integers;
  return Buffer.concat([bytesOf32(r), bytesOf32(s > HALF_ORDER ? ORDER - s : s)]);
}

/** The two integers of a DER sequence; null: it is none, or one is not below the order. */
function derIntegers(der: Uint8Array): [bigint, bigint] | null {
  if (der[0] !== 0x30 || der[1] !== der.length - 2 || der[2] !== 0x02) return null;
  const r = der.subarray(4, 4 + der[3]!);
  const rest = der.subarray(4 + der[3]!);
  if (rest[0] !== 0x02 || rest[1] !== rest.length - 2) return null;
  const [first, second] = [integer(r), integer(rest.subarray(2))];
  return [first, second].every((one) => one > 0n && one < ORDER) ? [first, second] : null;
}

function integer(bytes: Uint8Array): bigint {
  return BigInt(`0x${Buffer.from(bytes).toString('hex') || '0'}`);
}

function bytesOf32(value: bigint): Buffer {
  return Buffer.from(value.toString(16).padStart(64, '0'), 'hex');
}
