/** Enrolled passkeys of tests, and the decisions that they sign. */
import { randomBytes } from 'node:crypto';
import type { DecisionClaims } from '../../src/attestation/claims';
import { enrolmentHash, makeEnrolment, type Enrolment } from '../../src/attestation/enrolment';
import { challengeOf, writePasskeyDecision } from '../../src/attestation/passkey-decision';
import { passkeyId, plainSignature, type PasskeyAlg } from '../../src/attestation/passkey-key';
import { readToken } from '../../src/attestation/claims';
import type { SigningKey } from '../../src/attestation/signing-key';
import { SoftAuthenticator, type AssertionResponse, type Signed } from './authenticator';

export interface EnrolledPasskey {
  authenticator: SoftAuthenticator;
  kid: string;
  enrolment: Enrolment;
  /** Ed25519, of the enroller. */
  enrolmentSignature: Buffer;
}

export interface Enrolling {
  principal?: string;
  roles?: string[];
  alg?: PasskeyAlg;
  /** Fields of the enrolment that differ. */
  changed?: Partial<Enrolment>;
  authenticator?: SoftAuthenticator;
}

/** A new passkey of a person, which this key has enrolled, whether it may or not. */
export function enrolled(enroller: SigningKey, enrolling: Enrolling = {}): EnrolledPasskey {
  const { principal = 'ana', roles = ['treasurer'], alg = 'ES256', changed = {} } = enrolling;
  const authenticator = enrolling.authenticator ?? new SoftAuthenticator(alg);
  const { credentialId, public: jwk, site } = authenticator;
  const registered = {
    ...{ principal, credential_id: credentialId, public: jwk, alg: authenticator.alg },
    ...{ rp_id: site.rpId, origins: [site.origin] },
  };
  const enrolment = { ...makeEnrolment(registered, { roles, kid: enroller.kid }), ...changed };
  const { signature } = readToken(enroller.token(enrolment))!;
  return { authenticator, kid: passkeyId(jwk), enrolment, enrolmentSignature: signature };
}

/** What a decision says; the rest is filled in. */
export type PasskeySigning = Pick<DecisionClaims, 'aud' | 'digest'> & Partial<DecisionClaims>;

export function claimsFor({ enrolment, kid }: EnrolledPasskey, said: PasskeySigning, nowMs = Date.now()): DecisionClaims {
  const iat = Math.floor(nowMs / 1000);
  return {
    v: 'holdfast.decision/4',
    decision: 'approve',
    note_hash: null,
    principal: enrolment.principal,
    roles: enrolment.roles,
    head: null,
    iat,
    exp: iat + 600,
    nonce: randomBytes(16).toString('base64url'),
    kid,
    enrolment: enrolmentHash(enrolment),
    ...said,
  };
}

/** The text of a decision: the claims, and what the authenticator answered to their challenge. */
export function textOf(
  { enrolment, enrolmentSignature, authenticator }: EnrolledPasskey,
  claims: DecisionClaims,
  { response }: AssertionResponse,
): string {
  const bytes = (text: string) => Buffer.from(text, 'base64url');
  const assertion = {
    authenticatorData: bytes(response.authenticatorData),
    clientDataJSON: bytes(response.clientDataJSON),
    signature: plainSignature(authenticator.alg, bytes(response.signature))!,
  };
  return writePasskeyDecision({ claims, assertion, enrolment, enrolmentSignature });
}

export function passkeyDecision(
  person: EnrolledPasskey,
  said: PasskeySigning,
  changed: Partial<Signed>,
  nowMs = Date.now(),
): string {
  const claims = claimsFor(person, said, nowMs);
  return textOf(person, claims, person.authenticator.assert(challengeOf(claims).toString('base64url'), changed));
}
