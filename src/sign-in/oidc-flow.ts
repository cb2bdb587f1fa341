/**
 * What a sign-in at the provider has to remember until the browser is back: in a cookie of that browser, sealed with a key of the store.
 * So every gateway of the store can finish it, nothing is stored for people who never come back, and an answer of the provider that
 * another browser has asked for counts for nothing.
 */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { isJsonObject } from '../shared/json/json';
import { parseJson } from '../shared/json/parse-json';

export interface OidcFlow {
  state: string;
  nonce: string;
  /** The secret of PKCE. */
  verifier: string;
  /** Hash of the id of the sign-in that this one replaces; null: there is none. */
  replaces: string | null;
  /** Ms since 1970. */
  expires: number;
}

/** How long a person may take at the provider. */
export const FLOW_SECONDS = 600;
const LONGEST = 2000;
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** @param key 32 bytes */
export function sealFlow(key: Buffer, flow: OidcFlow): string {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, iv);
  const sealed = Buffer.concat([cipher.update(JSON.stringify(flow), 'utf8'), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64url');
}

/** Null: not sealed with this key, or expired. */
export function openFlow(key: Buffer, text: string, now: number): OidcFlow | null {
  if (text.length > LONGEST || !/^[A-Za-z0-9_-]+$/.test(text)) return null;
  const bytes = Buffer.from(text, 'base64url');
  if (bytes.length <= IV_BYTES + TAG_BYTES) return null;
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES });
    decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
    const flow = parseJson(
      Buffer.concat([decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]).toString('utf8'),
    );
    return isJsonObject(flow) && typeof flow.expires === 'number' && now < flow.expires ? (flow as unknown as OidcFlow) : null;
  } catch {
    return null; // somebody else has made it
  }
}
