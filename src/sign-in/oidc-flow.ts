/**
 * What a sign-in at the provider has to remember until the browser is back: in a cookie of that browser, sealed with a key of the store.
 * So every gateway of the store can finish it, nothing is stored for people who never come back, and an answer of the provider that
 * another browser has asked for counts for nothing.
 */
import { isJsonObject } from '../shared/json/json';
import { parseJson } from '../shared/json/parse-json';
import { openText, sealText } from './sealing';

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

/** @param key 32 bytes */
export function sealFlow(key: Buffer, flow: OidcFlow): string {
  return sealText(key, JSON.stringify(flow));
}

/** Null: not sealed with this key, or expired. */
export function openFlow(key: Buffer, text: string, now: number): OidcFlow | null {
  const content = text.length > LONGEST ? null : openText(key, text);
  const flow = content === null ? null : parseJson(content);
  return isJsonObject(flow) && typeof flow.expires === 'number' && now < flow.expires ? (flow as unknown as OidcFlow) : null;
}
