/**
 * Checks what a passkey signed (WebAuthn, an assertion): the browser's client data names the challenge and the page, the
 * authenticator's data names the site and says that a person was there and was verified, and the signature covers both. It is
 * stricter than the standard: what no browser writes is refused. It answers any bytes, and never throws.
 */
import { createHash } from 'node:crypto';
import { isJsonObject, type JsonObject } from '../shared/json/json';
import { parseJson } from '../shared/json/parse-json';
import { isSignedBy, type PasskeyKey } from './passkey-key';

export interface Assertion {
  authenticatorData: Uint8Array;
  clientDataJSON: Uint8Array;
  /** As `plainSignature` gives it. */
  signature: Uint8Array;
}

/** Where the passkey may be used. */
export interface Site {
  rp_id: string;
  origins: readonly string[];
}

/** Null: this passkey signed this challenge, on a page of this site, and had verified its person. */
export function assertionFault(
  { authenticatorData, clientDataJSON, signature }: Assertion,
  challenge: Uint8Array,
  passkey: PasskeyKey,
  site: Site,
): string | null {
  const fault = clientDataFault(clientDataJSON, challenge, site.origins) ?? authenticatorFault(authenticatorData, site.rp_id);
  if (fault !== null) return fault;
  const signedBytes = Buffer.concat([authenticatorData, sha256(clientDataJSON)]);
  return isSignedBy(passkey, signedBytes, signature) ? null : 'the signature of its passkey is not right';
}

/** Bytes. */
const LONGEST_CLIENT_DATA = 1024;

function clientDataFault(bytes: Uint8Array, challenge: Uint8Array, origins: readonly string[]): string | null {
  const data = readClientData(bytes);
  if (data === null) return 'the client data of its passkey cannot be read';
  if (data.type !== 'webauthn.get') return `its passkey was asked for ${quote(data.type)}, not for a signature`;
  if (data.challenge !== Buffer.from(challenge).toString('base64url')) return 'its passkey signed another challenge';
  if (typeof data.origin !== 'string' || !origins.includes(data.origin))
    return `its passkey was used on the page ${quote(data.origin)}, which its enrolment does not allow`;
  const framed = data.topOrigin !== undefined || !(data.crossOrigin === undefined || data.crossOrigin === false);
  return framed ? 'its passkey was used in a frame of another page' : null;
}

/** Null: it is no JSON object of texts, booleans and nulls, each once. Browsers may add members, and only such. */
function readClientData(bytes: Uint8Array): JsonObject | null {
  if (bytes.length > LONGEST_CLIENT_DATA) return null;
  try {
    const data = parseJson(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
    if (!isJsonObject(data)) return null;
    return Object.values(data).every((one) => one === null || typeof one === 'string' || typeof one === 'boolean') ? data : null;
  } catch {
    return null;
  }
}

const FLAGS = { present: 0x01, verified: 0x04, canBeBackedUp: 0x08, isBackedUp: 0x10, hasKey: 0x40, hasExtensions: 0x80 };
/** SHA-256 of the site's name, flags, counter. */
const HEAD_BYTES = 37;
const MOST_BYTES = 512;

function authenticatorFault(data: Uint8Array, rpId: string): string | null {
  if (data.length < HEAD_BYTES || data.length > MOST_BYTES) return 'the authenticator data of its passkey cannot be read';
  if (!sha256(Buffer.from(rpId)).equals(data.subarray(0, 32))) return `its passkey signed for another site than ${rpId}`;
  const flags = data[32]!;
  const has = (flag: number) => (flags & flag) !== 0;
  if (!has(FLAGS.present)) return 'nobody was present when its passkey signed';
  if (!has(FLAGS.verified)) return 'its passkey did not verify its person (by PIN, finger or face)';
  const end = has(FLAGS.hasExtensions) && (data[HEAD_BYTES] ?? 0) >> 5 === 5 ? itemEnd(data, HEAD_BYTES) : HEAD_BYTES;
  const whole = end === data.length && has(FLAGS.hasExtensions) === data.length > HEAD_BYTES;
  const possible = !has(FLAGS.hasKey) && (has(FLAGS.canBeBackedUp) || !has(FLAGS.isBackedUp));
  return whole && possible ? null : 'the authenticator data of its passkey cannot be read';
}

/** How often the passkey has signed, as it says; passkeys that are on several devices say 0. */
export function counterOf(authenticatorData: Uint8Array): number {
  return Buffer.from(authenticatorData).readUInt32BE(33);
}

const DEEPEST = 8;

/** Where a CBOR item ends that begins at `at`; null: it is not well-formed, with definite lengths and without tags. */
function itemEnd(bytes: Uint8Array, at: number, depth = 0): number | null {
  const first = bytes[at];
  if (first === undefined || depth > DEEPEST) return null;
  const [major, info] = [first >> 5, first & 31];
  if (info > 27 || major === 6) return null;
  const width = info < 24 ? 0 : 2 ** (info - 24);
  let end = at + 1 + width;
  if (end > bytes.length) return null;
  if (major === 0 || major === 1 || major === 7) return end;
  const length = bytes.subarray(at + 1, end).reduce((sum, byte) => sum * 256 + byte, width === 0 ? info : 0);
  if (length > bytes.length) return null;
  if (major === 2 || major === 3) return end + length <= bytes.length ? end + length : null;
  for (let items = major === 5 ? 2 * length : length; items > 0; items--) {
    const next = itemEnd(bytes, end, depth + 1);
    if (next === null) return null;
    end = next;
  }
  return end;
}

export function sha256(bytes: Uint8Array): Buffer {
  return createHash('sha256').update(bytes).digest();
}

/** Quoted and short: it is another program's text. */
function quote(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value.slice(0, 100).toWellFormed()) : 'no text';
}
