/** Makes what is signed. */
import { randomBytes } from 'node:crypto';
import type { DecisionClaims, StartClaims } from './claims';
import type { SigningKey } from './signing-key';

/** Seconds that something signed is good for, at most. */
export const LONGEST_S = 24 * 3600;

type Issued = 'v' | 'iat' | 'exp' | 'nonce' | 'kid';

/**
 * A decision, signed: good until `until`, and for a day at most. Without `note_hash` no note goes with it.
 * @param until ISO 8601; null: a day
 */
export function attestDecision(
  key: SigningKey,
  claims: Omit<DecisionClaims, Issued>,
  until: string | null,
  nowMs = Date.now(),
): string {
  const whole = { note_hash: null, ...claims, v: 'holdfast.decision/3' as const };
  return key.token({ ...whole, ...issued(key, nowMs, until) } satisfies DecisionClaims);
}

/** The start of a turn, signed: good for a day. */
export function attestStart(key: SigningKey, claims: Omit<StartClaims, Issued>, nowMs = Date.now()): string {
  return key.token({ v: 'holdfast.start/1', ...claims, ...issued(key, nowMs, null) } satisfies StartClaims);
}

function issued(
  { kid }: SigningKey,
  nowMs: number,
  until: string | null,
): { iat: number; exp: number; nonce: string; kid: string } {
  const iat = Math.floor(nowMs / 1000);
  const wanted = until === null ? Infinity : Math.ceil(Date.parse(until) / 1000);
  return { iat, exp: Math.min(Math.max(wanted, iat + 1), iat + LONGEST_S), nonce: randomBytes(16).toString('base64url'), kid };
}
