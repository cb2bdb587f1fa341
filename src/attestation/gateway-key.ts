/** The key that a gateway signs with. One that nobody has named is made at the first start. */
import { SigningKey } from './signing-key';
import { updateTrustedKeys, type TrustedKey } from './trusted-keys';

/** An entry for the file of trusted keys. */
export function trustedEntry(
  key: Pick<SigningKey, 'kid' | 'public'>,
  { bundle, ...who }: Pick<TrustedKey, 'principal' | 'roles' | 'expires_at'> & { bundle?: true } = {},
): TrustedKey {
  const use = bundle ? 'bundle' : who.principal === undefined ? 'gateway' : 'principal';
  return { kid: key.kid, public: key.public, use, ...who, created_at: new Date().toISOString() };
}

export interface KeyPlaces {
  /** The key that the settings name, or that is there already; null: there is none yet. */
  signingKey: string | null;
  /** Where a new one goes. */
  made: string;
  /** The file that a new one is entered in. Null: the workers' file is somebody else's to write. */
  trustedKeys: string | null;
}

/** @throws BadSigningKey, BadKeyFile */
export async function gatewayKey({ signingKey, made, trustedKeys }: KeyPlaces): Promise<SigningKey> {
  if (signingKey !== null) return SigningKey.read(signingKey);
  const key = SigningKey.generate();
  // Entered first: whoever dies in between leaves a key that nobody has, not one that nobody trusts.
  if (trustedKeys !== null) await updateTrustedKeys(trustedKeys, (keys) => [...keys, trustedEntry(key)]);
  return (await key.save(made)) ? key : SigningKey.read(made);
}
