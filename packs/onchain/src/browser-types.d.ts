/** Types of browsers that viem's declarations name; nothing that we use has them. */
type CryptoKey = import('node:crypto').webcrypto.CryptoKey;
type AuthenticatorAttestationResponse = object;
type AuthenticationExtensionsClientOutputs = object;
