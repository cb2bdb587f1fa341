/** Finds the private key to sign with on this machine, and the principal that it speaks for. */
import { SigningKey } from '../../attestation/signing-key';
import { readTrustedKeys } from '../../attestation/trusted-keys';
import type { Config } from '../../config';
import { samePerson } from '../../shared/approval/approval';
import { userName } from './decide-options';
import { UsageError } from './exit';

export interface Signer {
  key: SigningKey;
  principal: string;
  roles: string[];
}

/**
 * @param options.key file of the key; absent: the one of the settings
 * @param options.by absent: the key's principal, else the user of this machine
 * @throws UsageError without a key, and for a name that the key does not speak for; BadSigningKey
 */
export async function signerOf(
  { signingKey, trustedKeys }: Config,
  { key: file, by, role }: { key?: string; by?: string; role?: string[] },
): Promise<Signer> {
  const path = file ?? signingKey;
  if (path === null)
    throw new UsageError(
      'There is no key to sign with. `holdfast keys create` makes one; name it with --key, or as HOLDFAST_SIGNING_KEY.',
    );
  const key = await SigningKey.read(path);
  // The file of trusted keys may be on another machine: then the requested name is signed, and the worker decides.
  const entries = await readTrustedKeys(trustedKeys).catch(() => []);
  const entry = entries.flatMap((one) => (one.use === 'principal' && one.kid === key.kid ? [one] : []))[0];
  if (entry?.principal !== undefined && by !== undefined && !samePerson(entry.principal, by))
    throw new UsageError(`Key ${key.kid} speaks for ${entry.principal}, not for ${by}.`);
  return { key, principal: by ?? entry?.principal ?? userName(), roles: role ?? entry?.roles ?? [] };
}
