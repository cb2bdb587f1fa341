/** Statements of tests that name deputies, and the decisions that rest on them. */
import { attestDecision } from '../../src/attestation/bundle-signer';
import type { DecisionClaims } from '../../src/attestation/claims';
import { writeDeputyDecision } from '../../src/attestation/deputy-decision';
import {
  deputyshipChallenge,
  makeDeputyship,
  readSignedDeputyship,
  writePasskeyDeputyship,
  type Deputyship,
} from '../../src/attestation/deputyship';
import { enrolmentHash } from '../../src/attestation/enrolment';
import { plainSignature } from '../../src/attestation/passkey-key';
import type { SigningKey } from '../../src/attestation/signing-key';
import { optional } from '../../src/shared/json/optional';
import type { Signed } from './authenticator';
import type { EnrolledPasskey } from './passkeys';

/** Ana names bob for an hour before and after now. */
export function aboutBob(nowMs = Date.now()): Parameters<typeof makeDeputyship>[0] {
  const now = Math.floor(nowMs / 1000);
  return { namespace: 'default', deputy: 'bob', for: 'ana', roles: ['treasurer'], from: now - 3600, until: now + 3600 };
}

/** A statement that a key signed. @param isGateway it is a gateway's record */
export function named(key: SigningKey, changed: Partial<Deputyship> = {}, isGateway?: true): string {
  const statement = makeDeputyship({ ...aboutBob(), ...changed }, { kid: key.kid, ...(isGateway ? { isGateway } : {}) });
  return key.token(optional({ ...statement, ...changed }));
}

/** A statement that a passkey signed. */
export function namedByPasskey(person: EnrolledPasskey, changed: Partial<Deputyship> = {}, signed: Partial<Signed> = {}): string {
  const { authenticator, kid, enrolment, enrolmentSignature } = person;
  const statement = {
    ...makeDeputyship({ ...aboutBob(), ...changed }, { kid, enrolment: enrolmentHash(enrolment) }),
    ...changed,
  };
  const { response } = authenticator.assert(deputyshipChallenge(statement).toString('base64url'), signed);
  const bytes = (text: string) => Buffer.from(text, 'base64url');
  const assertion = {
    authenticatorData: bytes(response.authenticatorData),
    clientDataJSON: bytes(response.clientDataJSON),
    signature: plainSignature(authenticator.alg, bytes(response.signature))!,
  };
  return writePasskeyDeputyship(statement, { assertion, enrolment, enrolmentSignature });
}

/** What the claims of a deputy say of a statement. */
export function steadOf(statement: string): Pick<DecisionClaims, 'on_behalf_of' | 'deputyship'> {
  const { deputyship, hash } = readSignedDeputyship(statement)!;
  return { on_behalf_of: deputyship.for, deputyship: hash };
}

/** An approval of a deputy, signed by a key: the deputy's own, or a gateway's. */
export function approvedBy(
  key: SigningKey,
  statement: string,
  claims: Pick<DecisionClaims, 'aud' | 'digest'> & Partial<DecisionClaims>,
): string {
  const whole = {
    decision: 'approve' as const,
    principal: 'bob',
    roles: ['treasurer'],
    head: null,
    ...steadOf(statement),
    ...claims,
  };
  return writeDeputyDecision(statement, attestDecision(key, whole, null));
}
