/** Schemas of passkeys: what browsers send and get (WebAuthn, as JSON), and how a passkey is shown. */
import { z } from 'zod';
import { jsonObject } from './envelope';

const base64url = (most: number) => z.string().regex(new RegExp(`^[A-Za-z0-9_-]{1,${most}}$`));

/** Members that a browser adds, and that nothing here reads. */
const more = {
  rawId: base64url(1400).optional(),
  type: z.literal('public-key'),
  authenticatorAttachment: z.string().max(40).nullish(),
  clientExtensionResults: jsonObject.optional(),
};

export const registrationResponse = z.object({
  ...more,
  id: base64url(1400),
  response: z.object({
    clientDataJSON: base64url(4000),
    attestationObject: base64url(40_000),
    transports: z.array(z.string().max(40)).max(10).optional(),
  }),
});
export type RegistrationResponse = z.infer<typeof registrationResponse>;

export const assertionResponse = z
  .object({
    ...more,
    id: base64url(1400),
    response: z.object({
      clientDataJSON: base64url(2000),
      authenticatorData: base64url(1000),
      signature: base64url(1000),
      userHandle: z.string().max(200).nullish(),
    }),
  })
  .describe('The `PublicKeyCredential` of `navigator.credentials.get()`, as its `toJSON()` writes it.');
export type AssertionResponse = z.infer<typeof assertionResponse>;

export const passkeyAssertion = z.strictObject({
  claims: jsonObject.describe('As the challenge gave them.'),
  response: assertionResponse,
});
export type PasskeyAssertion = z.infer<typeof passkeyAssertion>;

export const passkeyView = z.object({
  id: z.string().describe('First 16 hex characters of the fingerprint: the `kid` in decisions.'),
  principal: z.string(),
  fingerprint: z.string().describe('SHA-256 of the public key: the person and the enroller compare it.'),
  state: z.enum(['waiting', 'enrolled', 'revoked']),
  credential_id: z.string(),
  public: jsonObject.describe('JWK.'),
  alg: z.enum(['ES256', 'EdDSA', 'RS256']),
  rp_id: z.string(),
  origins: z.array(z.string()),
  aaguid: z.string().optional().describe('The model of the authenticator, as it says.'),
  registered_at: z.string(),
  enrolled_at: z.string().nullable(),
  roles: z.array(z.string()).describe('In which it may decide, by its enrolment.'),
  enrolled_by: z.string().nullable().describe('The `kid` of the key that signed its enrolment.'),
});
export type PasskeyView = z.infer<typeof passkeyView>;

export const passkeyList = z.object({ passkeys: z.array(passkeyView) });

export const examplePasskey = {
  id: '3f0a9c1d2b4e5f60',
  principal: 'ana',
  fingerprint: '3f0a9c1d2b4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8',
  state: 'waiting',
  credential_id: 'ckN3b1hRSk1vUQ',
  public: { kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' },
  alg: 'EdDSA',
  rp_id: 'desk.example.com',
  origins: ['https://desk.example.com'],
  registered_at: '2026-11-28T09:00:00.000Z',
  enrolled_at: null,
  roles: [],
  enrolled_by: null,
};

export const exampleCreation = {
  rp: { id: 'desk.example.com', name: 'holdfast' },
  user: { id: 'dXNlcg', name: 'ana', displayName: '' },
  challenge: '8XvYw0e1S0R7rW0n8cO4m3Qm9n3uHf8Yb2u1o5r7k4s',
  pubKeyCredParams: [{ alg: -7, type: 'public-key' }],
  authenticatorSelection: { residentKey: 'preferred', userVerification: 'required' },
  attestation: 'none',
};

export const exampleChallenge = {
  claims: { v: 'holdfast.decision/4', decision: 'approve', principal: 'ana', kid: '3f0a9c1d2b4e5f60' },
  options: {
    challenge: '8XvYw0e1S0R7rW0n8cO4m3Qm9n3uHf8Yb2u1o5r7k4s',
    rpId: 'desk.example.com',
    userVerification: 'required',
    allowCredentials: [{ id: 'ckN3b1hRSk1vUQ', type: 'public-key' }],
  },
};
