/** How a passkey is shown, for which site they are, and what this host knows of the keys that enrol them. */
import { enrolmentFault, isOriginOf, isSiteName, readSignedEnrolment } from '../../attestation/enrolment';
import { fingerprintOf } from '../../attestation/passkey-key';
import type { StoredPasskey } from '../../attestation/passkey-register';
import { notInForce, readTrustedKeys, type TrustEntry } from '../../attestation/trusted-keys';
import { optional } from '../../shared/json/optional';
import { Refusal } from '../http/errors';
import type { GatewayParts } from '../route';
import type { PasskeyView } from './schemas';

export interface PasskeySite {
  rp_id: string;
  origins: string[];
}

/** The site that passkeys are for, by HOLDFAST_PUBLIC_URL. @throws Refusal if browsers have no passkeys for it */
export function siteOf({ publicUrl }: Pick<GatewayParts, 'publicUrl'>): PasskeySite {
  const url = publicUrl === undefined ? null : new URL(publicUrl);
  if (url !== null && isSiteName(url.hostname) && isOriginOf(url.origin, url.hostname))
    return { rp_id: url.hostname, origins: [url.origin] };
  const message = 'Passkeys need HOLDFAST_PUBLIC_URL: an https address with a name, or http://localhost.';
  throw new Refusal({ code: 'EXECUTION_ERROR', reason: 'no_site', message, status: 501 });
}

/** The trusted keys of this host, if the gateway may read them: only the workers' own files count. */
export async function trustedHere({ trustedKeys }: Pick<GatewayParts, 'trustedKeys'>): Promise<TrustEntry[]> {
  return trustedKeys === undefined ? [] : readTrustedKeys(trustedKeys).catch(() => []);
}

/** What is wrong with an enrolment by a key that is known here. A key that is not may be known to the workers. */
export function faultHere(text: string, keys: readonly TrustEntry[]): string | null {
  const signed = readSignedEnrolment(text);
  const isKnown = signed !== null && keys.some(({ kid }) => kid === signed.enrolment.kid);
  return isKnown ? enrolmentFault(signed, keys, Date.now()) : null;
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
