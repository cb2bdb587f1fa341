/**
 * A browser's `EventSource` cannot send a token, and a token does not belong into an address. A ticket does: it opens one stream
 * in one principal's name for a minute. It is sealed, not kept, so that every gateway of a store takes it. All that the stream
 * asks of a principal it asks of the ticket's.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { canonical } from '../../shared/json/canonical';
import { parseJson } from '../../shared/json/parse-json';
import type { Store } from '../../store/store';
import { principalNamed, type Principal } from './principals';

/** Of the query of a stream. */
export const TICKET_PARAMETER = 'stream_ticket';
export const TICKET_MS = 60_000;
/** Addresses of streams, turns' and tools', with their query. */
export const STREAM_ADDRESS = '^/(v1/turns/[^/?#]{1,400}/events|tools/[^/?#]{1,200}/sse)(\\?[^#]{0,8000})?$';

const WITH_TICKET = new RegExp(`^(.*)[?&]${TICKET_PARAMETER}=([A-Za-z0-9_-]{1,16000}\\.[A-Za-z0-9_-]{1,100})$`);

interface Sealed {
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
    const sealed = { v: 'holdfast.ticket/1', principal: name, roles: [...roles], address, expires } satisfies Sealed;
    const body = Buffer.from(canonical(sealed)).toString('base64url');
    return { ticket: `${body}.${this.seal(body).toString('base64url')}`, expires_at: new Date(expires).toISOString() };
  }

  /** Null: it is none of ours, for another address, or too old. */
  principalOf(url: string, now: number): Principal | null {
    const [, address = '', ticket = ''] = WITH_TICKET.exec(url) ?? [];
    const [body = '', seal = ''] = ticket.split('.');
    const [wanted, got] = [this.seal(body), Buffer.from(seal, 'base64url')];
    if (got.length !== wanted.length || !timingSafeEqual(got, wanted)) return null;
    const sealed = parseJson(Buffer.from(body, 'base64url').toString('utf8')) as unknown as Sealed;
    return sealed.address === address && now < sealed.expires ? principalNamed(sealed.principal, sealed.roles) : null;
  }

  private seal(body: string): Buffer {
    return createHmac('sha256', this.key).update(body).digest();
  }
}
