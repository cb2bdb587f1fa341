/** Reads names, roles and groups from the claims of a token. Claims are written elsewhere, so nothing about their form is sure. */
import { samePerson, starterOf } from '../shared/approval/approval';
import { LOCAL_PRINCIPAL } from '../shared/ids';

export type Claims = Readonly<Record<string, unknown>>;

const NAME = /^[^/\p{C}]{1,200}$/u;
const LONGEST_NAME = 200;
const MAX_ROLES = 64;
const ROLE = /^[A-Za-z0-9._:-]{1,64}$/;
const MAX_GROUPS = 2000;

export function claimOf(claims: Claims, claim: string): unknown {
  return Object.hasOwn(claims, claim) ? claims[claim] : undefined;
}

/** Null: not a name. A slash is not allowed: it would claim a tenant. */
export function nameOf(claims: Claims, claim: string): string | null {
  const value = claimOf(claims, claim);
  return typeof value === 'string' && NAME.test(value) && Buffer.byteLength(value) <= LONGEST_NAME ? value : null;
}

/** `tenant/name`, or `name` where no claim has tenants. Null: a claim is missing, or the name is one that nobody may claim. */
export function principalOf(claims: Claims, names: { name: string; tenant: string | null }): string | null {
  const name = nameOf(claims, names.name);
  if (name === null) return null;
  if (names.tenant === null) return samePerson(name, LOCAL_PRINCIPAL) ? null : name;
  const tenant = nameOf(claims, names.tenant);
  const full = `${tenant}/${name}`;
  return tenant === null || starterOf(full) !== null || Buffer.byteLength(full) > LONGEST_NAME ? null : full;
}

/** A list, or text with spaces, as scopes are written. */
export function rolesOf(claims: Claims, claim: string): string[] {
  const value = claimOf(claims, claim);
  const list: unknown[] = typeof value === 'string' ? value.split(' ') : Array.isArray(value) ? value : [];
  return list.slice(0, MAX_ROLES).filter((role): role is string => typeof role === 'string' && ROLE.test(role));
}

/** Those groups of a claim that the settings know, each once. The claim is a list, or one group as text. */
export function groupsOf(claims: Claims, claim: string, groups: ReadonlyMap<string, unknown>): string[] {
  const value = claimOf(claims, claim);
  const list: unknown[] = Array.isArray(value) ? value.slice(0, MAX_GROUPS) : [value];
  return [...new Set(list.filter((group): group is string => typeof group === 'string' && groups.has(group)))];
}
