/**
 * The enrolment of a passkey: whose it is, in which roles it may decide, and on which pages. An enroller signs it, whose key the
 * workers trust for that and for nothing else. It is part of each decision that the passkey signs, so a verifier needs no register
 * of passkeys.
 */
import { randomBytes, verify } from 'node:crypto';
import { samePerson } from '../shared/approval/approval';
import { canonical } from '../shared/json/canonical';
import { hashJson } from '../shared/json/digests';
import type { Json, JsonObject } from '../shared/json/json';
import { hasShape, ISSUANCE, like, oneOf, optional, principalName, readToken, roleList, time, type Shape } from './claims';
import { bytesOf, passkeyKey, type PasskeyAlg, type PasskeyKey } from './passkey-key';
import { publicKey } from './public-key';
import { notInForce, type TrustEntry } from './trusted-keys';
import type { Site } from './webauthn';

/** The passkey, as its person registered it. */
export interface RegisteredPasskey extends Site {
  principal: string;
  /** base64url */
  credential_id: string;
  /** JWK (passkey-key.ts). */
  public: JsonObject;
  alg: PasskeyAlg;
  origins: string[];
  /** The model of the authenticator, as it says. */
  aaguid?: string;
}

export interface Enrolment extends RegisteredPasskey {
  v: 'holdfast.enrolment/1';
  roles: string[];
  /** Seconds since the epoch. */
  iat: number;
  /** Absent: it is good as long as the enroller's key. */
  exp?: number;
  nonce: string;
  /** Of the enroller's key. */
  kid: string;
}

/** Characters of a credential's id. */
const LONGEST_ID = 400;
const MOST_ORIGINS = 4;
const HOST = '[a-z0-9-]+(?:\\.[a-z0-9-]+)*';
const RP_ID = new RegExp(`^${HOST}$`);
const ORIGIN = new RegExp(`^(?:https://(${HOST})|http://(localhost))(?::[1-9][0-9]{0,4})?$`);

const SHAPE: Shape = {
  v: oneOf('holdfast.enrolment/1'),
  principal: principalName,
  roles: roleList,
  credential_id: (value) => typeof value === 'string' && value.length <= LONGEST_ID && bytesOf(value) !== null,
  public: (value) => value !== undefined && passkeyKey(value) !== null,
  alg: oneOf('ES256', 'EdDSA', 'RS256'),
  rp_id: (value) => typeof value === 'string' && isSiteName(value),
  origins: (value) =>
    Array.isArray(value) && value.length >= 1 && value.length <= MOST_ORIGINS && new Set(value).size === value.length,
  aaguid: optional(like(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)),
  ...ISSUANCE,
  exp: optional(time),
};

/** Null: this is no enrolment. */
export function readEnrolment(value: Json): Enrolment | null {
  if (!hasShape(value, SHAPE)) return null;
  const enrolment = value as unknown as Enrolment;
  const key = passkeyKey(enrolment.public);
  return key?.alg === enrolment.alg && enrolment.origins.every((origin) => isOriginOf(origin, enrolment.rp_id))
    ? enrolment
    : null;
}

/** The name of a site that passkeys are for. */
export function isSiteName(name: string): boolean {
  return name.length <= 253 && RP_ID.test(name);
}

/** Whether pages of this origin may use passkeys of the site: its own, or below it; https, or this machine's. */
export function isOriginOf(origin: Json, rpId: string): boolean {
  if (typeof origin !== 'string' || origin.length > 300) return false;
  const [, host, local] = ORIGIN.exec(origin) ?? [];
  const name = host ?? local;
  return name !== undefined && (name === rpId || name.endsWith(`.${rpId}`));
}

/** An enrolment to be signed with `SigningKey.token`. */
export function makeEnrolment(
  { principal, credential_id, public: jwk, alg, rp_id, origins, aaguid }: RegisteredPasskey,
  { roles, kid, exp }: { roles: readonly string[]; kid: string; exp?: number },
  nowMs = Date.now(),
): Enrolment {
  return {
    v: 'holdfast.enrolment/1',
    ...{ principal, roles: [...roles], credential_id, public: jwk, alg, rp_id, origins },
    ...(aaguid === undefined ? {} : { aaguid }),
    iat: Math.floor(nowMs / 1000),
    ...(exp === undefined ? {} : { exp }),
    nonce: randomBytes(16).toString('base64url'),
    kid,
  };
}

export function enrolmentHash(enrolment: Enrolment): string {
  return hashJson({ ...enrolment });
}

/** The passkey that was enrolled. `readEnrolment` has checked its key. */
export function keyOfEnrolment({ public: jwk }: Enrolment): PasskeyKey {
  return passkeyKey(jwk)!;
}

/** Whether it enrols exactly this passkey. */
export function enrols(enrolment: Enrolment, passkey: RegisteredPasskey): boolean {
  return (
    samePerson(enrolment.principal, passkey.principal) &&
    enrolment.credential_id === passkey.credential_id &&
    hashJson(enrolment.public) === hashJson(passkey.public) &&
    enrolment.rp_id === passkey.rp_id &&
    enrolment.origins.every((origin) => passkey.origins.includes(origin))
  );
}

// An enrolment with its signature, and whether it counts.

export interface SignedEnrolment {
  enrolment: Enrolment;
  /** Ed25519 over the canonical enrolment. */
  enrolmentSignature: Uint8Array;
}

/** Reads the text that `SigningKey.token` makes of an enrolment. Null: it is none. The signature is not checked. */
export function readSignedEnrolment(text: string): SignedEnrolment | null {
  const token = readToken(text);
  const enrolment = token && readEnrolment(token.claims);
  return enrolment && { enrolment, enrolmentSignature: token.signature };
}

/**
 * Why an enrolment does not count; null: it does. A key that is no enroller's enrols nobody, a gateway's included.
 * @param thenMs when a decision that rests on it was found valid
 * @param knownMs what was revoked until then does not count
 */
export function enrolmentFault(
  { enrolment, enrolmentSignature }: SignedEnrolment,
  keys: readonly TrustEntry[],
  thenMs: number,
  knownMs = thenMs,
): string | null {
  const { kid, principal, iat, exp, roles } = enrolment;
  const enroller = keys.find((one) => one.kid === kid);
  if (enroller === undefined)
    return `key ${kid}, which enrolled its passkey, is not trusted here: an enroller's key must be in the file of trusted keys`;
  if (enroller.use !== 'enroller') return `key ${kid} may not enrol passkeys: its use is ${enroller.use}, not enroller`;
  const signedBytes = Buffer.from(canonical({ ...enrolment }));
  if (!verify(null, signedBytes, publicKey(enroller.public), enrolmentSignature))
    return 'the signature of its enrolment is not right';
  const more = enroller.roles === undefined ? undefined : roles.find((role) => !enroller.roles!.includes(role));
  if (more !== undefined) return `enroller ${kid} may not give the role ${more}`;
  const passkey = keys.find((one) => one.kid === keyOfEnrolment(enrolment).kid);
  const revoked = passkey === undefined ? null : notInForce(passkey, thenMs, knownMs);
  if (revoked !== null) return revoked;
  if (exp !== undefined && exp * 1000 <= thenMs)
    return `the enrolment of ${JSON.stringify(principal)} ended at ${new Date(exp * 1000).toISOString()}`;
  // The enroller's key must have been in force for the enrolment, and be in force for what rests on it.
  return notInForce(enroller, iat * 1000, knownMs) ?? notInForce(enroller, thenMs, knownMs);
}
