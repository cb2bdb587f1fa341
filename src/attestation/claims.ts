/**
 * The signed claims: a decision on one call of one turn, a message to one turn, or the start of one. Reading is strict: exactly
 * these fields, in exactly one spelling.
 */
import { isJsonObject, type Json } from '../shared/json/json';
import { canonical } from '../shared/json/canonical';
import { parseJson } from '../shared/json/parse-json';

/** The turn that a decision is for. */
export interface DecisionAudience {
  namespace: string;
  workflow_id: string;
  first_execution_run_id: string;
  /** The store that the turn is bound to. Always present in version 2, never in version 1. */
  store_id?: string;
}

/**
 * One decision of one principal on one exact call (docs/approvals.md, "Signed decisions"). Version 1, for turns without a store, and version
 * 2, for the others, do not cover the note; version 3 does, and is for all turns. Version 4 is version 3 as a passkey signs it.
 * Versions 5 and 6 are 3 and 4 of somebody who decides for another person (deputyship.ts).
 */
export interface DecisionClaims {
  v: `holdfast.decision/${1 | 2 | 3 | 4 | 5 | 6}`;
  aud: DecisionAudience;
  /** The call's digest, 64 hex; for a message to the turn `steerDigest`. */
  digest: string;
  decision: 'approve' | 'deny' | 'settle' | 'edit' | 'steer' | 'answer';
  /** Settle: how the call ended; absent otherwise. */
  outcome?: 'applied' | 'not_applied';
  /** Edit: hash of the other input. Answer: hash of the answer. Absent otherwise. */
  input_hash?: string;
  /** From version 3 on: `noteHash` of the note, null without a note. Absent in the other versions. */
  note_hash?: string | null;
  /** Versions 4 and 6: hash of the enrolment of the passkey. So one assertion has one text. Absent in the other versions. */
  enrolment?: string;
  /** Who signs. */
  principal: string;
  /** Versions 5 and 6: for whom; the roles are this person's. Absent in the other versions. */
  on_behalf_of?: string;
  /** Versions 5 and 6: `hashJson` of the signed statement that makes the principal a deputy. Absent in the other versions. */
  deputyship?: string;
  roles: string[];
  /** Head of the transcript that the signer saw, for the record. The turn may have continued beside the waiting call. */
  head: string | null;
  /** Seconds since the epoch. */
  iat: number;
  /** Seconds since the epoch; at most a day after `iat`. */
  exp: number;
  nonce: string;
  kid: string;
}

/** Claims of a turn's start: they prove that the requester started it. */
export interface StartClaims {
  v: 'holdfast.start/1';
  aud: { namespace: string; workflow_id: string };
  requester: string;
  /** Empty: the worker chooses the agent (a direct call). */
  agent: string;
  /** Hash of the request. */
  message_hash: string;
  iat: number;
  exp: number;
  nonce: string;
  kid: string;
}

export const MOST_ROLES = 16;

export const HASH = /^[0-9a-f]{64}$/;
const STORE = /^[0-9a-f]{32}$/;
export const KID = /^[0-9a-f]{16}$/;
const NONCE = /^[A-Za-z0-9_-]{16,64}$/;
export const ROLE = /^[A-Za-z0-9._:-]{1,64}$/;

export type Rule = (value: Json | undefined) => boolean;
export type Shape = Record<string, Rule>;

export const text =
  (longest: number): Rule =>
  (value) =>
    typeof value === 'string' && value.trim() !== '' && value.length <= longest;
export const like =
  (pattern: RegExp): Rule =>
  (value) =>
    typeof value === 'string' && pattern.test(value);
export const oneOf =
  (...values: Json[]): Rule =>
  (value) =>
    value !== undefined && values.includes(value);
export const time: Rule = (value) => Number.isSafeInteger(value) && (value as number) >= 0;
export const optional =
  (rule: Rule): Rule =>
  (value) =>
    value === undefined || rule(value);
export const shapeRule =
  (shape: Shape): Rule =>
  (value) =>
    value !== undefined && hasShape(value, shape);

export const principalName = text(200);
export const roleList: Rule = (value) =>
  Array.isArray(value) && value.length <= MOST_ROLES && new Set(value).size === value.length && value.every(like(ROLE));

export const ISSUANCE: Shape = { iat: time, exp: time, nonce: like(NONCE), kid: like(KID) };

const TURN: Shape = { namespace: text(255), workflow_id: text(255), first_execution_run_id: text(100) };

const DECISION: Shape = {
  v: oneOf('holdfast.decision/1', 'holdfast.decision/2', 'holdfast.decision/3', 'holdfast.decision/5'),
  aud: (value) => shapeRule(TURN)(value) || shapeRule({ ...TURN, store_id: like(STORE) })(value),
  digest: like(HASH),
  decision: oneOf('approve', 'deny', 'settle', 'edit', 'steer', 'answer'),
  outcome: optional(oneOf('applied', 'not_applied')),
  input_hash: optional(like(HASH)),
  note_hash: (value) => value === null || optional(like(HASH))(value),
  principal: principalName,
  on_behalf_of: optional(principalName),
  deputyship: optional(like(HASH)),
  roles: roleList,
  head: (value) => value === null || like(HASH)(value),
  ...ISSUANCE,
};

const PASSKEY_DECISION: Shape = {
  ...DECISION,
  v: oneOf('holdfast.decision/4', 'holdfast.decision/6'),
  enrolment: like(HASH),
};

const START: Shape = {
  v: oneOf('holdfast.start/1'),
  aud: shapeRule({ namespace: text(255), workflow_id: text(255) }),
  requester: principalName,
  agent: (value) => typeof value === 'string' && value.length <= 255,
  message_hash: like(HASH),
  ...ISSUANCE,
};

/** Null: these are not the claims of a decision that an Ed25519 key signs. */
export function decisionClaims(value: Json): DecisionClaims | null {
  return hasShape(value, DECISION) ? consistent(value as unknown as DecisionClaims) : null;
}

/** Null: these are not the claims of a decision that a passkey signs. */
export function passkeyClaims(value: Json): DecisionClaims | null {
  return hasShape(value, PASSKEY_DECISION) ? consistent(value as unknown as DecisionClaims) : null;
}

/**
 * Each field has one meaning: only `settle` has an outcome, and only `edit` and `answer` have the hash of an input. A deputy approves
 * only: everything else people say in their own name, and a denial needs no role.
 */
function consistent(claims: DecisionClaims): DecisionClaims | null {
  const { v, decision } = claims;
  const settles = (claims.outcome !== undefined) === (decision === 'settle');
  const edits = (claims.input_hash !== undefined) === (decision === 'edit' || decision === 'answer');
  const covers = v !== 'holdfast.decision/1' && v !== 'holdfast.decision/2';
  const bindsStore = covers || (claims.aud.store_id !== undefined) === (v === 'holdfast.decision/2');
  const isDeputys = v === 'holdfast.decision/5' || v === 'holdfast.decision/6';
  const names = [claims.on_behalf_of, claims.deputyship].every((field) => (field !== undefined) === isDeputys);
  const may = !isDeputys || decision === 'approve';
  return settles && edits && bindsStore && names && may && (claims.note_hash !== undefined) === covers ? claims : null;
}

/** Null: these are not the claims of a start. */
export function startClaims(value: Json): StartClaims | null {
  return hasShape(value, START) ? (value as unknown as StartClaims) : null;
}

/** An object with these fields and no others. */
export function hasShape(value: Json, shape: Shape): boolean {
  if (!isJsonObject(value)) return false;
  if (Object.keys(value).some((key) => !Object.hasOwn(shape, key))) return false;
  return Object.entries(shape).every(([key, rule]) => rule(Object.hasOwn(value, key) ? value[key] : undefined));
}

// The text form of signed claims: `<canonical claims>.<Ed25519 signature>`, both base64url. It fits into a signal's `attestation`
// (shared/approval/decision.ts). The same claims and signature have only one text.

/** Longest token that a decision may carry. */
export const LONGEST_TOKEN = 4096;

const TOKEN = /^([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]{86})$/;

export interface Token {
  claims: Json;
  /** The signed bytes. */
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

/** Null for any text that `writeToken` would not have written, byte for byte. */
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
