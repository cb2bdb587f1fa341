/** Checks whether a key that the auditor trusts signed a bundle. */
import { CLOCKS_MS, isRevocation, type TrustEntry } from '../../attestation/trusted-keys';
import { timeOf } from './values';

/** Null: a trusted key signed. Otherwise: why the signer is unknown. */
export function signerFault(
  trust: readonly TrustEntry[],
  { kid, public: raw }: { kid: string; public: string },
  made_at: string,
): string | null {
  const key = trust.find((one) => !isRevocation(one) && one.kid === kid && one.public === raw);
  const at = timeOf(made_at);
  if (!key || isRevocation(key)) return `key ${kid} is not in the trust file`;
  if (key.use !== 'bundle') return `key ${kid} of the trust file does not sign bundles`;
  // The thief of a key can write any date into a bundle.
  if (key.revoked_at !== undefined) return `key ${kid} was revoked at ${key.revoked_at}: what it signs proves nothing any more`;
  if (!(Date.parse(key.created_at) <= at + CLOCKS_MS))
    return `key ${kid} did not exist yet when the bundle says that it was made`;
  if (key.expires_at !== undefined && !(Date.parse(key.expires_at) > at))
    return `key ${kid} had expired when the bundle says that it was made`;
  return null;
}
