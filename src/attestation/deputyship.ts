/**
 * A deputyship: a statement that one person decides for another, for a period. The person that it stands for signs it, with a key
 * of the trust file or with a passkey; or an enroller does, for somebody who is absent. It is part of each decision that rests on it, as the
 * enrolment of a passkey is, so that a verifier needs no register. What a gateway signs is a record: its word, which counts only
 * where decisions need no signature.
 */
import { randomBytes } from 'node:crypto';
import { samePerson } from '../shared/approval/approval';
import { tenantOf } from '../shared/ids';
import { canonical } from '../shared/json/canonical';
import { hashJson } from '../shared/json/digests';
import { isJsonObject, type Json, type JsonObject } from '../shared/json/json';
import { optional as optionalFields } from '../shared/json/optional';
import { parseJson } from '../shared/json/parse-json';
import {
  HASH,
  hasShape,
  KID,
  like,
  LONGEST_TOKEN,
  oneOf,
  optional,
  principalName,
  readToken,
  roleList,
  text,
  time,
  type Rule,
  type Shape,
} from './claims';
import { readEnrolment, type SignedEnrolment } from './enrolment';
import { bytesOf } from './passkey-key';
import { sha256, type Assertion } from './webauthn';

export interface Deputyship {
  /** A record is what a gateway signs. */
  v: 'holdfast.deputy/1' | 'holdfast.deputy-record/1';
  namespace: string;
  /** Who decides, and for whom. */
  deputy: string;
  for: string;
  /** Absent: all roles that the signer's key or passkey has. Always there in a record, and in what an enroller signs. */
  roles?: string[];
  /** Only for calls of these agents, and of these tools. Absent: all. */
  agents?: string[];
  tools?: string[];
  /** Seconds since the epoch, both. */
  from: number;
  until: number;
  nonce: string;
  /** Of the key or passkey that signs it. */
  kid: string;
  /** Hash of the enrolment of the passkey that signs it; absent: a key signs it. */
  enrolment?: string;
}

/** Longest period, seconds: a year. */
export const LONGEST_PERIOD_S = 366 * 24 * 3600;
export const MOST_NAMES = 20;

const nameList: Rule = (value) =>
  Array.isArray(value) &&
  value.length >= 1 &&
  value.length <= MOST_NAMES &&
  new Set(value).size === value.length &&
  value.every(text(255));

const SHAPE: Shape = {
  v: oneOf('holdfast.deputy/1', 'holdfast.deputy-record/1'),
  namespace: text(255),
  deputy: principalName,
  for: principalName,
  roles: optional(roleList),
  agents: optional(nameList),
  tools: optional(nameList),
  from: time,
  until: time,
  nonce: like(/^[A-Za-z0-9_-]{16,64}$/),
  kid: like(KID),
  enrolment: optional(like(HASH)),
};

/** Null: this is no deputyship. Nobody is their own deputy, or that of another tenant's person. */
export function readDeputyship(value: Json): Deputyship | null {
  if (!hasShape(value, SHAPE)) return null;
  const one = value as unknown as Deputyship;
  const lasts = one.until > one.from && one.until - one.from <= LONGEST_PERIOD_S;
  const areTwo = !samePerson(one.deputy, one.for) && tenantOf(one.deputy) === tenantOf(one.for);
  return lasts && areTwo && (one.enrolment === undefined || one.v === 'holdfast.deputy/1') ? one : null;
}

/** A statement to be signed with `SigningKey.token`, or by a passkey. */
export function makeDeputyship(
  about: Pick<Deputyship, 'namespace' | 'deputy' | 'for' | 'roles' | 'agents' | 'tools' | 'from' | 'until'>,
  signer: { kid: string; enrolment?: string; isGateway?: true },
): Deputyship {
  const { namespace, deputy, for: person, roles, agents, tools, from, until } = about;
  return {
    v: signer.isGateway ? 'holdfast.deputy-record/1' : 'holdfast.deputy/1',
    ...{ namespace, deputy, for: person, from, until },
    ...optionalFields({ roles, agents, tools, enrolment: signer.enrolment }),
    nonce: randomBytes(16).toString('base64url'),
    kid: signer.kid,
  };
}

/** What a passkey signs. */
export function deputyshipChallenge(deputyship: Deputyship): Buffer {
  return sha256(deputyshipBytes(deputyship));
}

// A statement with its signature, as one text: `<statement>.<signature>` as other signed texts, or `wa1.` and six parts as a decision
// that a passkey signs.

export interface SignedDeputyship {
  deputyship: Deputyship;
  /** `hashJson` of the text. */
  hash: string;
  /** The signature of a key, or of a passkey. */
  signature: Uint8Array | PasskeySignature;
}

export interface PasskeySignature extends SignedEnrolment {
  assertion: Assertion;
}

export function writePasskeyDeputyship(
  deputyship: Deputyship,
  { assertion, enrolment, enrolmentSignature }: PasskeySignature,
): string {
  const { authenticatorData, clientDataJSON, signature } = assertion;
  const enrolled = [Buffer.from(canonical({ ...enrolment })), enrolmentSignature];
  const parts = [deputyshipBytes(deputyship), authenticatorData, clientDataJSON, signature, ...enrolled];
  return ['wa1', ...parts.map((part) => Buffer.from(part).toString('base64url'))].join('.');
}

/** Null for any text that nobody writes so, byte for byte. No signature is checked. */
export function readSignedDeputyship(signed: string): SignedDeputyship | null {
  if (signed.length > LONGEST_TOKEN) return null;
  const hash = hashJson(signed);
  if (!signed.startsWith('wa1.')) {
    const token = readToken(signed);
    const deputyship = token && readDeputyship(token.claims);
    return deputyship && deputyship.enrolment === undefined ? { deputyship, hash, signature: token.signature } : null;
  }
  const parts = signed.split('.').slice(1).map(bytesOf);
  const [statement, authenticatorData, clientDataJSON, signature, enrolmentPart, enrolmentSignature] = parts;
  if (parts.length !== 6 || !statement || !authenticatorData || !clientDataJSON || !signature || !enrolmentPart) return null;
  const deputyship = readDeputyship(jsonIn(statement));
  const enrolment = readEnrolment(jsonIn(enrolmentPart));
  if (!deputyship || !enrolment || deputyship.enrolment === undefined || enrolmentSignature?.length !== 64) return null;
  const assertion = { authenticatorData, clientDataJSON, signature };
  return { deputyship, hash, signature: { assertion, enrolment, enrolmentSignature } };
}

/** How people and the trust file name a deputyship: the beginning of its hash. */
export function deputyshipId(hash: string): string {
  return hash.slice(0, 16);
}

/** The bytes that are signed. */
export function deputyshipBytes(deputyship: Deputyship): Buffer {
  return Buffer.from(canonical({ ...deputyship } as JsonObject));
}

/** Null: the bytes are no canonical JSON. */
function jsonIn(bytes: Buffer): Json {
  try {
    const value = parseJson(bytes.toString('utf8'));
    return isJsonObject(value) && Buffer.from(canonical(value)).equals(bytes) ? value : null;
  } catch {
    return null;
  }
}
