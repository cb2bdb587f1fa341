/**
 * Decisions that people sign with their passkeys. The gateway makes the claims, the passkey signs their hash, and the gateway checks
 * the assertion before it sends the decision on. It cannot make one itself: the worker checks all of it again, with its own keys.
 */
import { z } from 'zod';
import { claimsForPasskey, LONGEST_S } from '../attestation/bundle-signer';
import { passkeyClaims, type DecisionClaims } from '../attestation/claims';
import { enrolmentHash, readSignedEnrolment, type SignedEnrolment } from '../attestation/enrolment';
import { challengeOf, passkeyFault, writePasskeyDecision } from '../attestation/passkey-decision';
import { plainSignature } from '../attestation/passkey-key';
import { CHALLENGE_MS, PasskeyRegister, type StoredPasskey } from '../attestation/passkey-register';
import { CLOCKS_MS } from '../attestation/trusted-keys';
import { stateOf, trustedHere } from '../attestation/passkey-view';
import { counterOf, type Assertion } from '../attestation/webauthn';
import { isTooLong, sendSignatures, unsignedDecisions, withDeputyship, type SignedSending } from '../client/approvals/attest';
import type { TurnHandle } from '../client/turns/turn-handle';
import { canonical } from '../shared/json/canonical';
import { hashJson } from '../shared/json/digests';
import { asJson, type Json, type JsonObject } from '../shared/json/json';
import { optional } from '../shared/json/optional';
import { jsonObject } from '../shapes/envelope';
import type { Principal } from '../gateway/auth/principals';
import { visibleTurn } from '../gateway/auth/turn-session-access';
import { decisionFields, readDecisionBody, sendingOf } from '../gateway/decision-body';
import { Refusal } from '../gateway/http/errors';
import type { GatewayParts, Route } from '../gateway/route';
import { answer, answers, body, turnParams } from '../gateway/schemas/common';
import { inStead } from '../deputies/in-stead';
import { exampleChallenge, type AssertionResponse, type PasskeyAssertion } from '../shapes/passkey';

const challengeBody = z.strictObject({
  ...decisionFields,
  passkey: z
    .string()
    .regex(/^[0-9a-f]{16}$/)
    .optional()
    .describe('The id of the passkey that is to sign. Default: the one that was enrolled last.'),
});
const challengeReply = z.object({
  claims: jsonObject.describe('What is signed (`holdfast.decision/4`); it comes back with the decision, unchanged.'),
  options: jsonObject.describe('The `PublicKeyCredentialRequestOptions` for `navigator.credentials.get()`, as JSON.'),
});

const schema = {
  summary: 'Begin to decide on a call with a passkey',
  description:
    'Makes the claims of one decision on one call. Their SHA-256 is the challenge that the passkey signs. Send both to the decisions within five minutes.',
  tags: ['turns'],
  params: turnParams,
  body: body(challengeBody, { decision: 'approve', call: '3f0a9c1d2b4e', note: 'Checked against the purchase order.' }),
  response: answers({ 200: answer('What the passkey is to sign.', challengeReply, exampleChallenge) }, 404, 409),
};

export const passkeyDecisions: Route = (app, parts) => {
  app.post<{ Params: { id: string }; Body: JsonObject; Reply: z.infer<typeof challengeReply> }>(
    '/v1/turns/:id/decisions/challenge',
    { schema, config: { roles: ['approver'] } },
    async ({ principal, params, body: { passkey: kid, ...decision } }, reply) => {
      const read = readDecisionBody(decision, principal);
      const { turn } = await visibleTurn(parts, principal, params.id);
      const { passkey, signed } = await enrolledPasskey(parts, principal, typeof kid === 'string' ? kid : null);
      const own = { ...principal, roles: rolesOf(principal, signed) };
      const sending = await inStead(parts, sendingOf(read, own), read.fields.on_behalf_of);
      const [first, ...rest] = await unsignedDecisions(turn, { ...sending, decision: signedKind(sending) });
      if (first === undefined || rest.length > 0) throw refusal('a passkey signs one call at a time');
      const about = { kid: passkey.kid, enrolment: enrolmentHash(signed.enrolment) };
      const claims = claimsForPasskey(first.claims, about, first.until);
      const options = requestOptions(passkey, challengeOf(claims));
      return reply.header('cache-control', 'no-store').send({ claims: asJson({ ...claims }) as JsonObject, options });
    },
  );
};

/**
 * Checks a passkey's assertion, and sends the decision that it signed.
 * @returns the whole digests. @throws Refusal for what the passkey did not sign so; DecisionNotAccepted with the reason
 */
export async function decideByPasskey(
  turn: TurnHandle,
  parts: GatewayParts,
  principal: Principal,
  sending: SignedSending,
  { claims: sent, response }: PasskeyAssertion,
): Promise<string[]> {
  const claims = passkeyClaims(sent);
  if (claims === null) throw refusal('its claims are not those that the challenge gave');
  const { passkey, signed } = await enrolledPasskey(parts, principal, claims.kid);
  const fault = timeFault(claims, Date.now()) ?? (await statementFault(turn, claims, sending));
  if (fault !== null) throw refusal(fault);
  const roles = sending.deputyship === undefined ? rolesOf(principal, signed) : sending.roles;
  const more = claims.roles.find((role) => !roles.includes(role));
  if (more !== undefined) throw refusal(`you do not have the role ${more}`);
  const assertion = assertionIn(response, passkey);
  const decision = { claims, assertion, ...signed };
  const wrong = passkeyFault(decision) ?? (await countAssertion(parts, passkey, assertion.authenticatorData, response));
  if (wrong !== null) throw refusal(wrong);
  const text = writePasskeyDecision(decision);
  if (isTooLong(text, sending)) throw refusal('the signed decision is too long: a passkey of another kind makes shorter ones');
  const attestation = withDeputyship(sending, text);
  return sendSignatures(turn, sending, [{ call: claims.digest, attestation }]);
}

/** What a browser needs to have the passkey sign a challenge. */
export function requestOptions({ rp_id, credential_id, transports }: StoredPasskey, challenge: Buffer): JsonObject {
  return {
    challenge: challenge.toString('base64url'),
    rpId: rp_id,
    timeout: CHALLENGE_MS,
    userVerification: 'required',
    allowCredentials: [{ id: credential_id, type: 'public-key', transports }],
  };
}

/** What the passkey signed, in its one spelling. @throws Refusal if another passkey did */
export function assertionIn({ id, response }: AssertionResponse, passkey: StoredPasskey): Assertion {
  if (id !== passkey.credential_id) throw refusal('another passkey signed it than the one that was asked');
  const bytes = (text: string) => Buffer.from(text, 'base64url');
  return {
    authenticatorData: bytes(response.authenticatorData),
    clientDataJSON: bytes(response.clientDataJSON),
    signature: plainSignature(passkey.alg, bytes(response.signature)) ?? Buffer.alloc(0),
  };
}

/** An enrolled passkey of this person, by its id, or the one that was enrolled last. @throws Refusal */
export async function enrolledPasskey(
  parts: GatewayParts,
  { name }: Principal,
  kid: string | null,
): Promise<{ passkey: StoredPasskey; signed: SignedEnrolment }> {
  const [own, keys] = await Promise.all([new PasskeyRegister(parts.store).of(name), trustedHere(parts)]);
  const candidates = own.filter((one) => kid === null || one.kid === kid);
  if (kid !== null && candidates.length === 0) throw refusal(`you have no passkey ${kid}`);
  const enrolled = candidates.filter((one) => stateOf(one, keys) === 'enrolled');
  const passkey = enrolled.sort((a, b) => ((a.enrolled_at ?? '') < (b.enrolled_at ?? '') ? -1 : 1)).at(-1);
  const signed = passkey?.enrolment ? readSignedEnrolment(passkey.enrolment) : null;
  if (passkey === undefined || signed === null)
    throw refusal(candidates.some((one) => stateOf(one, keys) === 'revoked') ? 'your passkey was revoked' : NOT_ENROLLED);
  return { passkey, signed };
}

const NOT_ENROLLED = 'you have no enrolled passkey: register one, and have an enroller run `holdfast keys enroll`';

/** A person decides in the roles that both the sign-in and the enrolment give. */
export function rolesOf({ roles }: Principal, { enrolment }: SignedEnrolment): string[] {
  return enrolment.roles.filter((role) => roles.includes(role));
}

function signedKind({ decision, input }: SignedSending): SignedSending['decision'] | 'edit' {
  return input === undefined ? decision : 'edit';
}

function timeFault({ iat, exp }: DecisionClaims, now: number): string | null {
  if (now > iat * 1000 + CHALLENGE_MS) return 'its challenge is older than five minutes; begin again';
  if (iat * 1000 > now + CLOCKS_MS || exp <= iat || exp - iat > LONGEST_S) return 'its times are not those of a challenge';
  return exp * 1000 <= now ? 'it has expired; begin again' : null;
}

/** Null: the claims say exactly what is sent beside them, of a call that waits in this turn. */
async function statementFault(turn: TurnHandle, claims: DecisionClaims, sending: SignedSending): Promise<string | null> {
  const [expected, ...rest] = await unsignedDecisions(turn, { ...sending, decision: signedKind(sending) });
  if (expected === undefined || rest.length > 0) return 'a passkey signs one call at a time';
  const statement = (of: Omit<DecisionClaims, 'v' | 'iat' | 'exp' | 'nonce' | 'kid'>): Json => {
    const { aud, digest, decision, outcome, input_hash, note_hash, principal, on_behalf_of, deputyship } = of;
    const stead = optional({ on_behalf_of, deputyship });
    return asJson({ aud: { ...aud }, digest, decision, principal, ...stead, ...optional({ outcome, input_hash, note_hash }) });
  };
  return canonical(statement(claims)) === canonical(statement(expected.claims))
    ? null
    : 'the passkey signed another decision than the one that was sent: another call, turn, person, note, input or outcome';
}

/** Each assertion counts once: the counter of the passkey grows, unless it has none. */
export function countAssertion(
  parts: GatewayParts,
  { principal, kid }: StoredPasskey,
  authenticatorData: Uint8Array,
  { response }: AssertionResponse,
): Promise<string | null> {
  const { clientDataJSON, signature } = response;
  const assertion = hashJson({ authenticator: Buffer.from(authenticatorData).toString('base64url'), clientDataJSON, signature });
  return new PasskeyRegister(parts.store).count(principal, kid, counterOf(authenticatorData), assertion);
}

function refusal(reason: string): Refusal {
  const message = `Not accepted: ${reason}.`;
  return new Refusal({ code: 'CONFIRMATION_REQUIRED', reason: 'passkey_refused', message });
}
