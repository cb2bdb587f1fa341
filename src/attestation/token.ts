/**
 * The text form of something signed: `<canonical claims>.<Ed25519 signature>`, both base64url. It fits into a signal's
 * `attestation` (shared/approval/decision.ts), and there is one text only for the same claims and signature.
 */
import type { Json } from '../shared/json/json';
import { canonical } from '../shared/json/canonical';
import { parseJson } from '../shared/json/parse-json';

/** What a decision may carry. */
export const LONGEST_TOKEN = 4096;

const TOKEN = /^([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]{86})$/;

export interface Token {
  claims: Json;
  /** What was signed. */
  bytes: Buffer;
  signature: Buffer;
}

export function writeToken(claims: Json, signature: Uint8Array): string {
  return `${Buffer.from(canonical(claims)).toString('base64url')}.${Buffer.from(signature).toString('base64url')}`;
}

/** The bytes that a signature of these claims covers. */
export function signedBytes(claims: Json): Buffer {
  return Buffer.from(canonical(claims));
}

/** Null for whatever `writeToken` would not have written, byte for byte. */
export function readToken(text: string): Token | null {
  if (text.length > LONGEST_TOKEN) return null;
  const [, body, seal] = TOKEN.exec(text) ?? [];
  if (body === undefined || seal === undefined) return null;
  const bytes = Buffer.from(body, 'base64url');
  const signature = Buffer.from(seal, 'base64url');
  try {
    const claims = parseJson(bytes.toString('utf8'));
    return writeToken(claims, signature) === text ? { claims, bytes, signature } : null;
  } catch {
    return null;
  }
}
