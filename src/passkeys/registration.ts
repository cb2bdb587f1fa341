/**
 * The routes by which people register passkeys, and administrators keep their enrolments. What is registered here decides nothing
 * yet: an enroller's signature makes it count, and workers check that themselves.
 */
import { z } from 'zod';
import { isOriginOf, isSiteName, type RegisteredPasskey } from '../attestation/enrolment';
import { passkeyKey } from '../attestation/passkey-key';
import { CHALLENGE_MS, PasskeyRegister, type NewPasskey, type StoredPasskey } from '../attestation/passkey-register';
import { stateOf, trustedHere, viewOf } from '../attestation/passkey-view';
import { sha256 } from '../attestation/webauthn';
import { optionalPackage } from '../optional-package';
import type { JsonObject } from '../shared/json/json';
import { optional } from '../shared/json/optional';
import { errorMessage } from '../shared/text/error-message';
import { jsonObject } from '../shapes/envelope';
import { sees, type Principal } from '../gateway/auth/principals';
import { Refusal } from '../gateway/http/errors';
import type { GatewayParts, Route } from '../gateway/route';
import { acceptedAnswer, answer, answers, body, jsonSchema, type Acceptance } from '../gateway/schemas/common';
import {
  exampleCreation,
  examplePasskey,
  passkeyList,
  passkeyView,
  registrationResponse,
  type PasskeyView,
  type RegistrationResponse,
} from '../shapes/passkey';

/** What is used of @simplewebauthn/server. Its own types need those of browsers. */
interface WebAuthn {
  generateRegistrationOptions(options: object): Promise<JsonObject>;
  verifyRegistrationResponse(options: {
    response: object;
    expectedChallenge(challenge: string): Promise<boolean>;
    expectedOrigin: string[];
    expectedRPID: string;
    requireUserVerification: true;
    supportedAlgorithmIDs: number[];
  }): Promise<{ registrationInfo?: { credential: { id: string; publicKey: Uint8Array; counter: number }; aaguid: string } }>;
}
interface WebAuthnHelpers {
  decodeCredentialPublicKey(cose: Uint8Array): Map<number, unknown>;
}

const webauthn = () => optionalPackage<WebAuthn>('@simplewebauthn/server', 'Registering passkeys');

const passkeyParams = jsonSchema(
  z.object({
    id: z
      .string()
      .regex(/^[0-9a-f]{16}$/)
      .describe('The id of a passkey.'),
  }),
);

const optionsSchema = {
  summary: 'Begin to register a passkey',
  description:
    'Answers the `PublicKeyCredentialCreationOptions` for `navigator.credentials.create()`, as JSON. Their challenge is good once, for five minutes.',
  tags: ['passkeys'],
  response: answers({ 200: answer('What the browser needs.', jsonObject, exampleCreation) }),
};

const registerBody = z.strictObject({ response: registrationResponse });
const registerSchema = {
  summary: 'Register a passkey',
  description: 'It waits until an enroller has signed its enrolment (`holdfast keys enroll`), and decides nothing before.',
  tags: ['passkeys'],
  body: body(registerBody, {
    response: { id: 'ckN3b1hRSk1vUQ', type: 'public-key', response: { clientDataJSON: 'e30', attestationObject: 'oA' } },
  }),
  response: answers({ 200: answer('It waits for its enrolment.', passkeyView, examplePasskey) }, 409),
};

const listSchema = (summary: string) => ({
  summary,
  tags: ['passkeys'],
  response: answers({ 200: answer('The passkeys.', passkeyList, { passkeys: [examplePasskey] }) }),
});

const enrolmentBody = z.strictObject({
  enrolment: z
    .string()
    .regex(/^[A-Za-z0-9_.-]{1,4096}$/)
    .describe('As `holdfast keys enroll` makes it: the canonical enrolment and its Ed25519 signature, both base64url.'),
});
const enrolmentSchema = {
  summary: 'Keep the signed enrolment of a passkey',
  description: 'The key that signed it must be an enroller’s in the trusted keys of this gateway.',
  tags: ['passkeys'],
  params: passkeyParams,
  body: body(enrolmentBody, { enrolment: 'eyJ2IjoiaG9sZGZhc3QifQ.c2lnbmF0dXJl' }),
  response: answers({ 200: acceptedAnswer('From now on the person can decide with it.') }, 404, 409),
};

const removeSchema = {
  summary: 'Remove a passkey of one’s own that waits for its enrolment, or was revoked',
  tags: ['passkeys'],
  params: passkeyParams,
  response: answers({ 200: acceptedAnswer('It is removed.') }, 404, 409),
};

interface OnePasskey {
  Params: { id: string };
  Reply: Acceptance;
}

export const passkeys: Route = (app, parts) => {
  const register = new PasskeyRegister(parts.store);

  app.post<{ Reply: JsonObject }>(
    '/v1/passkeys/options',
    { schema: optionsSchema, config: { roles: ['approver'] } },
    async ({ principal }, reply) => {
      const { rp_id } = siteOf(parts);
      const { generateRegistrationOptions } = webauthn();
      const own = await register.of(principal.name);
      const options = await generateRegistrationOptions({
        rpName: 'holdfast',
        rpID: rp_id,
        userName: principal.name,
        userID: new Uint8Array(sha256(Buffer.from(principal.name))),
        challenge: new Uint8Array(Buffer.from(await register.newChallenge(principal.name), 'base64url')),
        timeout: CHALLENGE_MS,
        attestationType: 'none',
        excludeCredentials: own.map(({ credential_id }) => ({ id: credential_id })),
        authenticatorSelection: { residentKey: 'preferred', userVerification: 'required' },
        supportedAlgorithmIDs: Object.values(ALGORITHMS),
      });
      return reply.header('cache-control', 'no-store').send(options);
    },
  );

  app.post<{ Body: z.infer<typeof registerBody>; Reply: PasskeyView }>(
    '/v1/passkeys',
    { schema: registerSchema, config: { roles: ['approver'] } },
    async ({ principal, body: { response } }, reply) => {
      const passkey = await verifyRegistration(response, principal, register, siteOf(parts));
      const fault = await register.add(passkey);
      if (fault !== null) throw refusal(`Not registered: ${fault}.`);
      const stored = (await register.of(principal.name)).find(({ kid }) => kid === passkey.kid);
      if (stored === undefined) throw refusal('Not registered: it was removed in the meantime.');
      return reply.header('cache-control', 'no-store').send(viewOf(stored, await trustedHere(parts)));
    },
  );

  const list = async (all: StoredPasskey[]) => {
    const keys = await trustedHere(parts);
    return { passkeys: all.map((one) => viewOf(one, keys)) };
  };

  app.get<{ Reply: z.infer<typeof passkeyList> }>(
    '/v1/passkeys',
    { schema: listSchema('Your passkeys'), config: { roles: ['approver'] } },
    async ({ principal }, reply) => reply.header('cache-control', 'no-store').send(await list(await register.of(principal.name))),
  );

  for (const which of ['waiting', 'everyone'] as const) {
    const summary = which === 'waiting' ? 'The passkeys that wait for their enrolment' : 'The passkeys of all people';
    app.get<{ Reply: z.infer<typeof passkeyList> }>(
      `/v1/passkeys/${which}`,
      { schema: listSchema(summary), config: { roles: ['admin'] } },
      async ({ principal }, reply) => {
        const visible = (await register.all()).filter((one) => sees(principal, one.principal));
        const selection = visible.filter(({ enrolment }) => which === 'everyone' || enrolment === null);
        return reply.header('cache-control', 'no-store').send(await list(selection));
      },
    );
  }

  app.post<OnePasskey & { Body: z.infer<typeof enrolmentBody> }>(
    '/v1/passkeys/:id/enrolment',
    { schema: enrolmentSchema, config: { roles: ['admin'] } },
    async ({ principal, params, body: { enrolment } }, reply) => {
      const passkey = await register.find(params.id);
      if (passkey === null || !sees(principal, passkey.principal)) throw unknown(params.id);
      const fault = await register.enrol(passkey, enrolment, await trustedHere(parts));
      if (fault !== null) throw refusal(`Not enrolled: ${fault}.`);
      return reply.header('cache-control', 'no-store').send({ accepted: true });
    },
  );

  app.delete<OnePasskey>(
    '/v1/passkeys/:id',
    { schema: removeSchema, config: { roles: ['approver'] } },
    async ({ principal, params }, reply) => {
      if (!(await register.of(principal.name)).some(({ kid }) => kid === params.id)) throw unknown(params.id);
      const keys = await trustedHere(parts);
      const fault = await register.remove(principal.name, params.id, (one) => stateOf(one, keys) === 'revoked');
      if (fault !== null) throw refusal(`Not removed: ${fault}.`);
      return reply.header('cache-control', 'no-store').send({ accepted: true });
    },
  );
};

/** Numbers of the algorithms in COSE; the first is preferred. */
const ALGORITHMS = { ES256: -7, EdDSA: -8, RS256: -257 };

/** Checks a registration, and uses up its challenge. @throws Refusal that says what is wrong */
async function verifyRegistration(
  response: RegistrationResponse,
  { name }: Principal,
  register: PasskeyRegister,
  site: PasskeySite,
): Promise<NewPasskey> {
  const { rawId = response.id, clientExtensionResults, authenticatorAttachment: _, ...rest } = response;
  const transports = response.response.transports ?? [];
  let isOpen = true;
  const { registrationInfo } = await webauthn()
    .verifyRegistrationResponse({
      response: {
        ...{ ...rest, rawId, clientExtensionResults: clientExtensionResults ?? {} },
        response: { clientDataJSON: response.response.clientDataJSON, attestationObject: response.response.attestationObject },
      },
      expectedChallenge: async (challenge) => (isOpen = await register.takeChallenge(name, challenge)),
      expectedOrigin: site.origins,
      expectedRPID: site.rp_id,
      requireUserVerification: true,
      supportedAlgorithmIDs: Object.values(ALGORITHMS),
    })
    .catch((error: unknown) => {
      if (!isOpen) throw refusal('Not registered: its challenge is not open; each is good once, for five minutes. Begin again.');
      throw refusal(`Not registered: ${errorMessage(error).slice(0, 200).toWellFormed()}.`);
    });
  if (registrationInfo === undefined) throw refusal('Not registered: the browser’s answer is not right.');
  const { credential, aaguid } = registrationInfo;
  const jwk = jwkOf(credential.publicKey);
  const key = jwk === null ? null : passkeyKey(jwk);
  if (jwk === null || key === null)
    throw refusal('Not registered: its key must be of ES256, of EdDSA with Ed25519, or of RS256 with 2048 to 3072 bits.');
  const known = aaguid === '00000000-0000-0000-0000-000000000000' ? undefined : aaguid;
  const registered: RegisteredPasskey = {
    ...{ principal: name, credential_id: credential.id, public: jwk, alg: key.alg, ...site },
    ...optional({ aaguid: known }),
  };
  return { ...registered, kid: key.kid, counter: credential.counter, transports: [...transports] };
}

/** A public key of an authenticator, which is COSE, as JWK; null: it is of another kind. */
function jwkOf(cose: Uint8Array): JsonObject | null {
  const { decodeCredentialPublicKey } = optionalPackage<WebAuthnHelpers>(
    '@simplewebauthn/server',
    'Registering passkeys',
    'helpers',
  );
  const fields = decodeCredentialPublicKey(new Uint8Array(cose));
  const bytes = (label: number) => {
    const value = fields.get(label);
    return value instanceof Uint8Array ? Buffer.from(value).toString('base64url') : '';
  };
  if (fields.get(3) === ALGORITHMS.ES256) return { kty: 'EC', crv: 'P-256', x: bytes(-2), y: bytes(-3) };
  if (fields.get(3) === ALGORITHMS.EdDSA) return { kty: 'OKP', crv: 'Ed25519', x: bytes(-2) };
  return fields.get(3) === ALGORITHMS.RS256 ? { kty: 'RSA', n: bytes(-1), e: bytes(-2) } : null;
}

interface PasskeySite {
  rp_id: string;
  origins: string[];
}

/** The site that passkeys are for, by HOLDFAST_PUBLIC_URL. @throws Refusal if browsers have no passkeys for it */
function siteOf({ publicUrl }: Pick<GatewayParts, 'publicUrl'>): PasskeySite {
  const url = publicUrl === undefined ? null : new URL(publicUrl);
  if (url !== null && isSiteName(url.hostname) && isOriginOf(url.origin, url.hostname))
    return { rp_id: url.hostname, origins: [url.origin] };
  const message = 'Passkeys need HOLDFAST_PUBLIC_URL: an https address with a name, or http://localhost.';
  throw new Refusal({ code: 'EXECUTION_ERROR', reason: 'no_site', message, status: 501 });
}

function refusal(message: string): Refusal {
  return new Refusal({ code: 'CONFIRMATION_REQUIRED', reason: 'passkey_refused', message });
}

function unknown(id: string): Refusal {
  const message = `There is no passkey ${JSON.stringify(id.slice(0, 40))} that you may see.`;
  return new Refusal({ code: 'RESOURCE_NOT_FOUND', reason: 'unknown_passkey', message });
}
