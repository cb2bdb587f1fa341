/**
 * Checks bearer tokens, and the signed one-minute tickets that open a stream in a browser; says what a principal may see. A principal
 * has one full name, as requester, as approver and in attestations: `tenant/name`, or a name without a slash, which belongs to the operator.
 */
import { createHash, timingSafeEqual, createHmac } from 'node:crypto';
import { isVisible, type Visibility } from '../../client/turns/listing';
import type { Config } from '../../config';
import { tenantOf } from '../../shared/ids';
import { canonical } from '../../shared/json/canonical';
import { optional } from '../../shared/json/optional';
import { parseJson } from '../../shared/json/parse-json';
import type { Store } from '../../store/store';

export interface Principal {
  /** The full name: `tenant/name`, or `name`. */
  name: string;
  /** Null: a principal of the operator. */
  tenant: string | null;
  /** Those of `ROLES`, and others that approvals require. */
  roles: readonly string[];
  /** When the token ends that names the principal, ms since 1970. Absent: it does not say. */
  tokenEnds?: number;
}

/**
 * `starter` starts turns, and sees its own. The other roles see all turns of their tenant, or all turns if they have no tenant.
 * `approver` decides, `auditor` only reads, `admin` may do what a starter may, and stop or steer turns that others started.
 */
export const ROLES = ['starter', 'approver', 'auditor', 'admin'] as const;
export type Role = (typeof ROLES)[number];

/** Finds the principal of a request. */
export interface Authenticator {
  /** Null: the request names no principal. @throws Refusal if that cannot be checked now */
  authenticate(authorization: string | undefined): Promise<Principal | null>;
  /** Tells the sender of a request without a principal what to do. */
  readonly hint: string;
}

export function createPrincipal(name: string, roles: readonly string[], tokenEnds?: number): Principal {
  return { name, tenant: tenantOf(name), roles, ...optional({ tokenEnds }) };
}

const SEES_OTHERS: readonly string[] = ['approver', 'auditor', 'admin'] satisfies Role[];

/** The requesters whose turns a principal sees. */
export function visibilityOf({ name, tenant, roles }: Principal): Visibility {
  if (!roles.some((role) => SEES_OTHERS.includes(role))) return { requester: name };
  return tenant === null ? 'all' : { tenant };
}

/** Whether a principal sees turns and sessions of `requester`. */
export function sees(principal: Principal, requester: string): boolean {
  return isVisible(visibilityOf(principal), requester);
}

const BEARER = /^Bearer ([\x21-\x7e]{20,200})$/i;

type TokenEntry = NonNullable<Config['tokens']>[number];

/** Bearer tokens of the settings, which hold only their hashes. */
export class Tokens implements Authenticator {
  private readonly tokens: { hash: Buffer; principal: Principal }[];
  readonly isEmpty: boolean;
  readonly hint: string;

  constructor(entries: readonly TokenEntry[]) {
    this.tokens = entries.map(({ principal, roles, token_sha256 }) => ({
      hash: Buffer.from(token_sha256, 'hex'),
      principal: createPrincipal(principal, roles),
    }));
    this.isEmpty = entries.length === 0;
    this.hint = this.isEmpty
      ? 'This gateway has no tokens: set HOLDFAST_TOKENS; `holdfast keys token` makes an entry.'
      : 'Send "Authorization: Bearer …" with a token of `holdfast keys token` that HOLDFAST_TOKENS has.';
  }

  async authenticate(authorization: string | undefined): Promise<Principal | null> {
    return this.principalOf(authorization);
  }

  /** Null: the token is unknown. */
  principalOf(authorization: string | undefined): Principal | null {
    const token = BEARER.exec((authorization ?? '').slice(0, 300))?.[1];
    return token === undefined ? null : this.principalOfHash(tokenHash(token));
  }

  /** Null: the settings have no token with this SHA-256 any more. It is compared with all tokens, each in constant time. */
  principalOfHash(sha256: string): Principal | null {
    const hash = Buffer.from(sha256, 'hex');
    const [entry] = this.tokens.filter((one) => one.hash.length === hash.length && timingSafeEqual(one.hash, hash));
    return entry?.principal ?? null;
  }
}

/** Hex, as the settings have it. */
export function tokenHash(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

// A browser's `EventSource` cannot send a token, and a token must not be part of an address. A ticket may be: it opens one stream
// in one principal's name for a minute. It is sealed, not stored, so that every gateway of a store accepts it. The stream checks
// the roles of the ticket's principal.

/** Parameter in the query of a stream. */
export const TICKET_PARAMETER = 'stream_ticket';
export const TICKET_MS = 60_000;
/** Addresses of streams of turns, of tools and of the inbox, with their query. */
export const STREAM_ADDRESS = '^/(v1/turns/[^/?#]{1,400}/events|tools/[^/?#]{1,200}/sse|v1/pending/events)(\\?[^#]{0,8000})?$';

const WITH_TICKET = new RegExp(`^(.*)[?&]${TICKET_PARAMETER}=([A-Za-z0-9_-]{1,16000}\\.[A-Za-z0-9_-]{1,100})$`);

interface TicketClaims {
  v: 'holdfast.ticket/1';
  principal: string;
  roles: string[];
  address: string;
  /** Unix time, ms. */
  expires: number;
  /** The same, of the token with which it was asked for. Absent: that does not say, or an older gateway made the ticket. */
  token_ends?: number;
}

/** The tickets that all gateways of a store accept. */
export function ticketsOf(store: Pick<Store, 'derivedKey'>): Tickets {
  return new Tickets(() => store.derivedKey('tickets'));
}

export class Tickets {
  constructor(private readonly key: () => Buffer) {}

  give({ name, roles, tokenEnds }: Principal, address: string, now: number): { ticket: string; expires_at: string } {
    const expires = Math.min(now + TICKET_MS, tokenEnds ?? Infinity);
    const claims = { v: 'holdfast.ticket/1', principal: name, roles: [...roles], address, expires } satisfies TicketClaims;
    const body = Buffer.from(canonical({ ...claims, ...optional({ token_ends: tokenEnds }) })).toString('base64url');
    return { ticket: `${body}.${this.seal(body).toString('base64url')}`, expires_at: new Date(expires).toISOString() };
  }

  /** Null: no ticket of this store, for another address, or expired. */
  principalOf(url: string, now: number): Principal | null {
    const [, address = '', ticket = ''] = WITH_TICKET.exec(url) ?? [];
    const [body = '', seal = ''] = ticket.split('.');
    const [expectedSeal, got] = [this.seal(body), Buffer.from(seal, 'base64url')];
    if (got.length !== expectedSeal.length || !timingSafeEqual(got, expectedSeal)) return null;
    const claims = parseJson(Buffer.from(body, 'base64url').toString('utf8')) as unknown as TicketClaims;
    if (claims.address !== address || now >= claims.expires) return null;
    return createPrincipal(claims.principal, claims.roles, claims.token_ends);
  }

  private seal(body: string): Buffer {
    return createHmac('sha256', this.key()).update(body).digest();
  }
}
