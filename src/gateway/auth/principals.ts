/**
 * Who speaks to the gateway, and what he may see. A principal has one full name, the same as requester, as who decided, in
 * attestations: `tenant/name`, or a name without a slash, which belongs to the operator.
 */
import { createHash, timingSafeEqual, createHmac } from 'node:crypto';
import { isVisible, type Visibility } from '../../client/turns/listing';
import type { Config } from '../../config';
import { tenantOf } from '../../shared/ids';
import { canonical } from '../../shared/json/canonical';
import { parseJson } from '../../shared/json/parse-json';
import type { Store } from '../../store/store';

export interface Principal {
  /** In full: `tenant/name`, or `name`. */
  name: string;
  /** Null: the operator's own. */
  tenant: string | null;
  /** Those below, and others that approvals ask for. */
  roles: readonly string[];
}

/**
 * `starter` starts turns, and sees its own; the others see all turns of their tenant, or of all where they have none.
 * `approver` decides, `auditor` only reads, `admin` may do what a starter may, and stop or steer what others started.
 */
export const ROLES = ['starter', 'approver', 'auditor', 'admin'] as const;
export type Role = (typeof ROLES)[number];

/** From what a request says of itself to a principal. */
export interface Authenticator {
  /** Null: it names nobody. @throws Refusal where that cannot be known now */
  authenticate(authorization: string | undefined): Promise<Principal | null>;
  /** What to do about a request that names nobody. */
  readonly hint: string;
}

export function createPrincipal(name: string, roles: readonly string[]): Principal {
  return { name, tenant: tenantOf(name), roles };
}

const SEES_OTHERS: readonly string[] = ['approver', 'auditor', 'admin'] satisfies Role[];

/** Whose turns a principal sees. */
export function visibilityOf({ name, tenant, roles }: Principal): Visibility {
  if (!roles.some((role) => SEES_OTHERS.includes(role))) return { requester: name };
  return tenant === null ? 'all' : { tenant };
}

/** Whether a principal sees what `requester` asked for. */
export function sees(principal: Principal, requester: string): boolean {
  return isVisible(visibilityOf(principal), requester);
}

const BEARER = /^Bearer ([\x21-\x7e]{20,200})$/i;

type TokenEntry = NonNullable<Config['tokens']>[number];

/** Bearer tokens of the settings: only their hashes are known here. */
export class Tokens implements Authenticator {
  private readonly known: { hash: Buffer; principal: Principal }[];
  readonly hint: string;

  constructor(entries: readonly TokenEntry[]) {
    this.known = entries.map(({ principal, roles, token_sha256 }) => ({
      hash: Buffer.from(token_sha256, 'hex'),
      principal: createPrincipal(principal, roles),
    }));
    this.hint =
      entries.length === 0
        ? 'This gateway knows nobody: set HOLDFAST_TOKENS; `holdfast keys token` makes an entry.'
        : 'Send "Authorization: Bearer …" with a token of `holdfast keys token` that HOLDFAST_TOKENS has.';
  }

  async authenticate(authorization: string | undefined): Promise<Principal | null> {
    return this.principalOf(authorization);
  }

  /** Null: the token is nobody's. All are compared, each in constant time. */
  principalOf(authorization: string | undefined): Principal | null {
    const token = BEARER.exec((authorization ?? '').slice(0, 300))?.[1];
    if (token === undefined) return null;
    const hash = createHash('sha256').update(token).digest();
    const [found] = this.known.filter((one) => timingSafeEqual(one.hash, hash));
    return found?.principal ?? null;
  }
}

// A browser's `EventSource` cannot send a token, and a token does not belong into an address. A ticket does: it opens one stream
// in one principal's name for a minute. It is sealed, not kept, so that every gateway of a store takes it. All that the stream
// asks of a principal it asks of the ticket's.

/** Of the query of a stream. */
export const TICKET_PARAMETER = 'stream_ticket';
export const TICKET_MS = 60_000;
/** Addresses of streams, turns' and tools', with their query. */
export const STREAM_ADDRESS = '^/(v1/turns/[^/?#]{1,400}/events|tools/[^/?#]{1,200}/sse)(\\?[^#]{0,8000})?$';

const WITH_TICKET = new RegExp(`^(.*)[?&]${TICKET_PARAMETER}=([A-Za-z0-9_-]{1,16000}\\.[A-Za-z0-9_-]{1,100})$`);

interface TicketClaims {
  v: 'holdfast.ticket/1';
  principal: string;
  roles: string[];
  address: string;
  /** Unix time, ms. */
  expires: number;
}

/** Those of all gateways of a store. */
export function ticketsOf(store: Pick<Store, 'derivedKey'>): Tickets {
  return new Tickets(store.derivedKey('tickets'));
}

export class Tickets {
  constructor(private readonly key: Buffer) {}

  give({ name, roles }: Principal, address: string, now: number): { ticket: string; expires_at: string } {
    const expires = now + TICKET_MS;
    const sealed = { v: 'holdfast.ticket/1', principal: name, roles: [...roles], address, expires } satisfies TicketClaims;
    const body = Buffer.from(canonical(sealed)).toString('base64url');
    return { ticket: `${body}.${this.seal(body).toString('base64url')}`, expires_at: new Date(expires).toISOString() };
  }

  /** Null: it is none of ours, for another address, or too old. */
  principalOf(url: string, now: number): Principal | null {
    const [, address = '', ticket = ''] = WITH_TICKET.exec(url) ?? [];
    const [body = '', seal = ''] = ticket.split('.');
    const [wanted, got] = [this.seal(body), Buffer.from(seal, 'base64url')];
    if (got.length !== wanted.length || !timingSafeEqual(got, wanted)) return null;
    const sealed = parseJson(Buffer.from(body, 'base64url').toString('utf8')) as unknown as TicketClaims;
    return sealed.address === address && now < sealed.expires ? createPrincipal(sealed.principal, sealed.roles) : null;
  }

  private seal(body: string): Buffer {
    return createHmac('sha256', this.key).update(body).digest();
  }
}
