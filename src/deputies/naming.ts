/** Makes and checks the statements by which people name deputies, before the gateway keeps them. */
import { deputyshipFault, passkeySignatureFault } from '../attestation/deputy-decision';
import {
  deputyshipChallenge,
  makeDeputyship,
  readDeputyship,
  readSignedDeputyship,
  writePasskeyDeputyship,
  type Deputyship,
} from '../attestation/deputyship';
import { enrolmentHash, type SignedEnrolment } from '../attestation/enrolment';
import { trustedHere } from '../attestation/passkey-view';
import type { PasskeySignature } from '../attestation/deputyship';
import { sees, type Principal } from '../gateway/auth/principals';
import { Refusal } from '../gateway/http/errors';
import type { GatewayParts } from '../gateway/route';
import { assertionIn, countAssertion, enrolledPasskey, rolesOf } from '../passkeys/decision';
import type { DeputyAssertion } from '../shapes/deputy';
import { samePerson } from '../shared/approval/approval';
import { tenantOf } from '../shared/ids';
import { optional } from '../shared/json/optional';

/** What a person says who names a deputy; times as ISO 8601. */
export interface Naming {
  deputy?: string;
  from?: string;
  until?: string;
  roles?: string[];
  agents?: string[];
  tools?: string[];
}

type About = Parameters<typeof makeDeputyship>[0] & { roles: string[] };

/** The statement of a person about their deputy. @param own the roles that the person may pass on. @throws Refusal */
export function aboutDeputy(naming: Naming, principal: Principal, own: readonly string[], namespace: string): About {
  const { deputy, until, roles = [...own], agents, tools } = naming;
  if (deputy === undefined || until === undefined) throw refusal('name the deputy, and until when (`deputy`, `until`)');
  const seconds = (time: string) => Math.floor(Date.parse(time) / 1000);
  const from = naming.from === undefined ? Math.floor(Date.now() / 1000) : seconds(naming.from);
  if (samePerson(deputy, principal.name)) throw refusal('nobody is their own deputy');
  if (tenantOf(deputy) !== principal.tenant) throw refusal('a deputy is of your own tenant');
  const more = roles.find((role) => !own.includes(role));
  if (more !== undefined) throw refusal(`you do not have the role ${more}`);
  const about = { namespace, deputy, for: principal.name, roles, ...optional({ agents, tools }), from, until: seconds(until) };
  const longEnough = readDeputyship({ ...makeDeputyship(about, { kid: '0'.repeat(16) }) });
  if (longEnough === null) throw refusal('its period must end after it begins, and last 366 days at most; each name stands once');
  return about;
}

/** The gateway's own word. */
export function recordOf(about: About, { key }: GatewayParts): string {
  return key.token(makeDeputyship(about, { kid: key.kid, isGateway: true }));
}

/** A statement for the person's passkey to sign. */
export function forPasskey(
  about: About,
  kid: string,
  { enrolment }: SignedEnrolment,
): { statement: Deputyship; challenge: Buffer } {
  const statement = makeDeputyship(about, { kid, enrolment: enrolmentHash(enrolment) });
  return { statement, challenge: deputyshipChallenge(statement) };
}

/** The text of a statement that a passkey of the principal signed. @throws Refusal */
export async function signedByPasskey(
  parts: GatewayParts,
  principal: Principal,
  { statement: sent, response }: DeputyAssertion,
): Promise<string> {
  const statement = readDeputyship(sent);
  if (statement === null) throw refusal('the statement is not the one that the challenge gave');
  const { passkey, signed } = await enrolledPasskey(parts, principal, statement.kid);
  const more = statement.roles?.find((role) => !rolesOf(principal, signed).includes(role));
  if (more !== undefined) throw refusal(`you do not have the role ${more}`);
  const assertion = assertionIn(response, passkey);
  const signature: PasskeySignature = { assertion, ...signed };
  const text = writePasskeyDeputyship(statement, signature);
  // Its own enroller need not be known to this gateway: so the assertion is checked by itself.
  const read = readSignedDeputyship(text);
  if (read === null) throw refusal('the statement is too long, or not in its one form');
  const wrong = passkeySignatureFault(read) ?? (await countAssertion(parts, passkey, assertion.authenticatorData, response));
  if (wrong !== null) throw refusal(wrong);
  return text;
}

/**
 * Whether the principal may bring this statement: a person names deputies only for himself; an admin also brings what an enroller
 * signed for somebody who is absent. @throws Refusal
 */
export async function mayBring(text: string, principal: Principal, namespace: string, parts: GatewayParts): Promise<void> {
  const signed = readSignedDeputyship(text);
  if (signed === null) throw refusal('it does not have the form that `holdfast deputies add` writes');
  const { deputyship } = signed;
  const isOwn = samePerson(deputyship.for, principal.name);
  if (!isOwn && !(principal.roles.includes('admin') && sees(principal, deputyship.for)))
    throw refusal('people name deputies only for themselves');
  if (deputyship.namespace !== namespace) throw refusal(`it is for namespace ${JSON.stringify(deputyship.namespace)}`);
  if (deputyship.v === 'holdfast.deputy-record/1') throw refusal('the gateway makes its own records');
  const keys = await trustedHere(parts);
  const isKnown = keys.some(({ kid }) => kid === deputyship.kid);
  const fault = isKnown ? deputyshipFault(signed, { keys, thenMs: Date.now() }) : null;
  if (fault !== null) throw refusal(fault);
}

export function refusal(reason: string): Refusal {
  const message = `Not accepted: ${reason}.`;
  return new Refusal({ code: 'CONFIRMATION_REQUIRED', reason: 'deputy_refused', message });
}
