/** Finds the deputyship by which a person decides for another, for a decision over HTTP. */
import { isoOf, rolesOfDeputy } from '../attestation/deputy-decision';
import { trustedHere } from '../attestation/passkey-view';
import type { SignedSending } from '../client/approvals/attest';
import type { GatewayParts } from '../gateway/route';
import { Refusal } from '../gateway/http/errors';
import { samePerson } from '../shared/approval/approval';
import { DeputyRegister, type StoredDeputyship } from './register';
import { stateOfDeputy } from './view';

/**
 * The decision as it is signed for another person: in that person's roles, with the deputyship.
 * @param person null or absent: the principal decides for nobody else
 * @throws Refusal if the principal is not that person's deputy now
 */
export async function inStead(parts: GatewayParts, sending: SignedSending, person?: string): Promise<SignedSending> {
  if (person === undefined) return sending;
  if (sending.decision !== 'approve' || sending.input !== undefined)
    throw refusal('a deputy only approves: deny, change and settle in your own name');
  const now = Date.now();
  const register = new DeputyRegister(parts.store);
  const between = await register.all((one) => samePerson(one.deputy, sending.principal) && samePerson(one.for, person));
  const active = between.filter((one) => stateOfDeputy(one, now) === 'active');
  const found = active.find(({ signed }) => signed.deputyship.v === 'holdfast.deputy/1') ?? active[0];
  if (found === undefined) throw refusal(missing(between, person, now));
  const roles = rolesOfDeputy(found.signed, { keys: await trustedHere(parts), thenMs: now });
  return { ...sending, roles, deputyship: found.text };
}

function missing(between: readonly StoredDeputyship[], person: string, nowMs: number): string {
  const name = JSON.stringify(person.slice(0, 100).toWellFormed());
  const last = between.at(-1);
  if (last === undefined) return `${name} has not named you as a deputy`;
  const { from, until } = last.signed.deputyship;
  const state = stateOfDeputy(last, nowMs);
  if (state === 'planned') return `you are the deputy of ${name} only from ${isoOf(from)} on`;
  return state === 'over'
    ? `you were the deputy of ${name} until ${isoOf(until)}`
    : `your deputyship for ${name} was ended at ${last.end?.at}`;
}

function refusal(reason: string): Refusal {
  return new Refusal({ code: 'CONFIRMATION_REQUIRED', reason: 'no_deputy', message: `Not accepted: ${reason}.` });
}
