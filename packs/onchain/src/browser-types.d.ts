/** Browser types that viem's declarations name; nothing that we use needs them. */
type CryptoKey = import('node:crypto').webcrypto.CryptoKey;
type AuthenticatorAttestationResponse = object;
type AuthenticationExtensionsClientOutputs = object;
