/**
 * A decision that a passkey signed, as one text: `wa1.` and six parts in base64url: claims, authenticator data, client data,
 * signature, enrolment and the enrolment's signature. The passkey signs a challenge, and the challenge is the SHA-256 of the
 * canonical claims. The same decision has only one text: the claims name the enrolment, and each part has one spelling.
 */
import { samePerson } from '../shared/approval/approval';
import { canonical } from '../shared/json/canonical';
import type { Json } from '../shared/json/json';
import { parseJson } from '../shared/json/parse-json';
import { LONGEST_TOKEN, passkeyClaims, signedBytes, type DecisionClaims } from './claims';
import { enrolmentHash, keyOfEnrolment, readEnrolment, type SignedEnrolment } from './enrolment';
import { bytesOf } from './passkey-key';
import { assertionFault, sha256, type Assertion } from './webauthn';

export interface PasskeyDecision extends SignedEnrolment {
  claims: DecisionClaims;
  assertion: Assertion;
}

const PREFIX = 'wa1';

/** Whether a text claims to be of this kind. */
export function isPasskeyText(text: string): boolean {
  return text.startsWith(`${PREFIX}.`);
}

export function writePasskeyDecision({ claims, assertion, enrolment, enrolmentSignature }: PasskeyDecision): string {
  const { authenticatorData, clientDataJSON, signature } = assertion;
  const enrolled = [Buffer.from(canonical({ ...enrolment })), enrolmentSignature];
  const parts = [signedBytes({ ...claims, aud: { ...claims.aud } }), authenticatorData, clientDataJSON, signature, ...enrolled];
  return [PREFIX, ...parts.map((part) => Buffer.from(part).toString('base64url'))].join('.');
}

/** Null for any text that `writePasskeyDecision` would not have written, byte for byte. No signature is checked. */
export function readPasskeyDecision(text: string): PasskeyDecision | null {
  if (text.length > LONGEST_TOKEN) return null;
  const [prefix, ...parts] = text.split('.');
  if (prefix !== PREFIX || parts.length !== 6) return null;
  const [claimsPart, authenticatorData, clientDataJSON, signature, enrolmentPart, enrolmentSignature] = parts.map(bytesOf);
  if (!claimsPart || !authenticatorData || !clientDataJSON || !signature || !enrolmentPart || !enrolmentSignature) return null;
  const claims = passkeyClaims(jsonIn(claimsPart));
  const enrolment = readEnrolment(jsonIn(enrolmentPart));
  if (claims === null || enrolment === null || enrolmentSignature.length !== 64) return null;
  return { claims, assertion: { authenticatorData, clientDataJSON, signature }, enrolment, enrolmentSignature };
}

/** Null: the bytes are no canonical JSON. */
function jsonIn(bytes: Buffer): Json {
  try {
    const value = parseJson(bytes.toString('utf8'));
    return Buffer.from(canonical(value)).equals(bytes) ? value : null;
  } catch {
    return null;
  }
}

/** What the passkey is asked to sign. */
export function challengeOf(claims: DecisionClaims): Buffer {
  return sha256(signedBytes({ ...claims, aud: { ...claims.aud } }));
}

/** Why the passkey did not sign these claims, in the roles and for the person of its enrolment; null: it did. A deputy's roles are another's. */
export function passkeyFault({ claims, assertion, enrolment }: PasskeyDecision): string | null {
  const passkey = keyOfEnrolment(enrolment);
  if (claims.kid !== passkey.kid || claims.enrolment !== enrolmentHash(enrolment)) return 'it names another passkey or enrolment';
  if (!samePerson(claims.principal, enrolment.principal))
    return `passkey ${passkey.kid} speaks for ${JSON.stringify(enrolment.principal)} only`;
  const isDeputys = claims.on_behalf_of !== undefined;
  const more = isDeputys ? undefined : claims.roles.find((role) => !enrolment.roles.includes(role));
  if (more !== undefined) return `passkey ${passkey.kid} does not give the role ${more}`;
  return assertionFault(assertion, challengeOf(claims), passkey, enrolment);
}
