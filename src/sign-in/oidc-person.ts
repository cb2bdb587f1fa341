/**
 * Makes a principal of what an OpenID provider says of a person. Names are what four eyes compares, so two people must never get one
 * name, and one person never two: an address may be given to somebody else, and may change. So the first subject that comes with a name
 * keeps it, and a subject keeps the name with which it first came. Both are kept in the store, for each issuer; a subject's name counts
 * only if a gateway has signed it, so that a writer of the store gives nobody another name. The tenant says what a
 * person may see, and is the one that the provider names today: with another one than that of the first name nobody comes in.
 */
import type { GatewayWord, Statement } from '../attestation/gateway-key';
import type { OidcSettings } from '../config/sign-in';
import { plainName, samePerson } from '../shared/approval/approval';
import { hashJson } from '../shared/json/digests';
import { tenantOf } from '../shared/ids';
import { isJsonObject, type Json } from '../shared/json/json';
import type { RegisterStore } from '../store/store';
import { claimOf, groupsOf, principalOf, type Claims } from './claims';

export interface OidcPerson {
  principal: string;
  /** Those that the settings know. */
  groups: string[];
  /** When the provider wants the sign-in to end, ms since 1970; null: it does not say. */
  atMost: number | null;
}

/** Why the provider's word is not enough. */
export type Unfit = 'no_group' | 'no_name' | 'name_taken' | 'other_name' | 'other_tenant';

/** Where the names of people are, and who says them. */
export interface KnownNames {
  registers: RegisterStore;
  word: GatewayWord;
}

export async function personOf(
  claims: Claims & { sub: string },
  settings: OidcSettings,
  names: KnownNames,
): Promise<OidcPerson | Unfit> {
  const groups = groupsOf(claims, settings.groupsClaim, settings.groups);
  if (groups.length === 0) return 'no_group';
  const name = principalOf(claims, { name: settings.nameClaim ?? nameClaimOf(claims), tenant: settings.tenantClaim });
  if (name === null || (settings.nameClaim === 'email' && claimOf(claims, 'email_verified') !== true)) return 'no_name';
  const first = await firstNameOf(names, { issuer: settings.issuer, subject: claims.sub }, name);
  if ('unfit' in first) return first.unfit;
  const { principal } = first;
  return tenantOf(principal) === tenantOf(name) ? { principal, groups, atMost: expiryOf(claims) } : 'other_tenant';
}

/** The roles of these groups, by the settings of now. */
export function rolesOfGroups(groups: readonly string[], { groups: known }: OidcSettings): string[] {
  return [...new Set(groups.flatMap((group) => known.get(group) ?? []))];
}

function nameClaimOf(claims: Claims): string {
  return claimOf(claims, 'email_verified') === true && typeof claimOf(claims, 'email') === 'string' ? 'email' : 'sub';
}

/** `session_expiry` of the OpenID Connect Enterprise Extensions: seconds since 1970. */
function expiryOf(claims: Claims): number | null {
  const value = claimOf(claims, 'session_expiry');
  return typeof value === 'number' && Number.isFinite(value) ? value * 1000 : null;
}

interface Subject {
  issuer: string;
  subject: string;
}

/**
 * The name that this subject has here. One that no gateway has signed gives no name: it was kept before gateways signed them, or
 * somebody made it up. If it is not the one of now, the sign-in is refused until an operator has it forgotten.
 */
async function firstNameOf(
  { registers, word }: KnownNames,
  of: Subject,
  name: string,
): Promise<{ principal: string } | { unfit: 'name_taken' | 'other_name' }> {
  const owner = hashJson({ ...of });
  const own = subjectRegister(owner);
  const isSaid = await word.check();
  const saidIn = (value: Json) => {
    const known = nameIn(value);
    return known !== null && isSaid(statementOf(owner, known), value) ? known : null;
  };
  const { value: before } = await registers.read(own);
  const [said, unsaid] = [saidIn(before), nameIn(before)];
  if (said === null && unsaid !== null && !samePerson(unsaid, name)) return { unfit: 'other_name' };
  const first = said ?? unsaid ?? name;
  const isOwn = await registers.update(nameRegister(of.issuer, first), (current) =>
    current === null ? { value: { owner }, answer: true } : { answer: isJsonObject(current) && current.owner === owner },
  );
  if (!isOwn) return { unfit: 'name_taken' };
  // Of two sign-ins at once with two names the first one counts for both.
  const principal = await registers.update(own, (current) => {
    const known = saidIn(current);
    if (known !== null) return { answer: known };
    return { value: { name: first, ...word.say(statementOf(owner, first)) }, answer: first };
  });
  return { principal };
}

function statementOf(owner: string, name: string): Statement {
  return { v: 'holdfast.gateway-says/name', owner, name };
}

/**
 * The subject that has this name gets a new one with its next sign-in. The old one stays its own: no other subject gets it.
 * @returns whether a subject has this name
 */
export async function forgetName(registers: RegisterStore, issuer: string, name: string): Promise<boolean> {
  const { value } = await registers.read(nameRegister(issuer, name));
  if (!isJsonObject(value) || typeof value.owner !== 'string') return false;
  return registers.update(subjectRegister(value.owner), (current) => {
    const first = nameIn(current);
    return first !== null && samePerson(first, name) ? { value: null, answer: true } : { answer: false };
  });
}

/** @param owner hash of a subject */
function subjectRegister(owner: string): string {
  return `kept/sign-in/subject/${owner}`;
}

function nameRegister(issuer: string, name: string): string {
  return `kept/sign-in/name/${hashJson({ issuer, name: plainName(name) })}`;
}

function nameIn(value: Json): string | null {
  return isJsonObject(value) && typeof value.name === 'string' ? value.name : null;
}
