/** How a passkey is shown, and what this host knows of the keys that enrol passkeys. */
import { optional } from '../shared/json/optional';
import type { PasskeyView } from '../shapes/passkey';
import { readSignedEnrolment } from './enrolment';
import { fingerprintOf } from './passkey-key';
import type { StoredPasskey } from './passkey-register';
import { notInForce, readTrustedKeys, type TrustEntry } from './trusted-keys';

/** The trusted keys of this host, if this process may read them: only the workers' own files count. */
export async function trustedHere({ trustedKeys }: { trustedKeys?: string }): Promise<TrustEntry[]> {
  return trustedKeys === undefined ? [] : readTrustedKeys(trustedKeys).catch(() => []);
}

export function viewOf(passkey: StoredPasskey, keys: readonly TrustEntry[]): PasskeyView {
  const { kid, principal, credential_id, public: jwk, alg, rp_id, origins, aaguid, registered_at, enrolled_at } = passkey;
  const signed = passkey.enrolment === null ? null : readSignedEnrolment(passkey.enrolment);
  return {
    ...{ id: kid, principal, fingerprint: fingerprintOf(jwk), state: stateOf(passkey, keys) },
    ...{ credential_id, public: jwk, alg, rp_id, origins, registered_at, enrolled_at },
    ...optional({ aaguid }),
    roles: signed?.enrolment.roles ?? [],
    enrolled_by: signed?.enrolment.kid ?? null,
  };
}

/** `revoked`, as far as it is known here. */
export function stateOf({ kid, enrolment }: StoredPasskey, keys: readonly TrustEntry[]): PasskeyView['state'] {
  const enroller = enrolment === null ? undefined : readSignedEnrolment(enrolment)?.enrolment.kid;
  const isRevoked = (key: TrustEntry) => key.revoked_at !== undefined && notInForce(key, Date.now()) !== null;
  if (keys.some((key) => (key.kid === kid || key.kid === enroller) && isRevoked(key))) return 'revoked';
  return enrolment === null ? 'waiting' : 'enrolled';
}
