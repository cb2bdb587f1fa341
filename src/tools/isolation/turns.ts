/**
 * Who goes next where there are fewer threads than tasks: tenants take turns, and in each its owners, so that whoever asks for
 * a hundred tasks waits behind himself; and neither ever has all threads, so that others do not wait for their time limits. Who
 * has no tenant is one by himself.
 */
import { tenantOf } from '../../shared/ids';

interface Tenant {
  running: number;
  /** Those with tasks that run or wait; whose turn it is next stands first. */
  owners: Map<string, Owner>;
}

interface Owner {
  running: number;
  waiting: (() => void)[];
}

export class Turns {
  /** Whose turn it is next stands first. */
  private readonly tenants = new Map<string, Tenant>();
  private taken = 0;

  /** @param places how many run at once; where there is one only, a tenant can have it */
  constructor(private readonly places: number) {}

  /**
   * Resolves when a place is free for the owner, who leaves it by `leave`.
   * @param signal ends the wait; its reason is thrown, and there is no place to leave
   */
  enter(name: string, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason as Error);
      const giveUp = () => {
        const { owner } = this.of(name);
        owner.waiting = owner.waiting.filter((one) => one !== next);
        this.forgetIfIdle(name);
        reject(signal!.reason as Error);
      };
      const next = () => {
        signal?.removeEventListener('abort', giveUp);
        resolve();
      };
      signal?.addEventListener('abort', giveUp, { once: true });
      this.of(name).owner.waiting.push(next);
      this.admit();
    });
  }

  leave(name: string): void {
    const { tenant, owner } = this.of(name);
    this.taken -= 1;
    tenant.running -= 1;
    owner.running -= 1;
    this.forgetIfIdle(name);
    this.admit();
  }

  private admit(): void {
    while (this.taken < this.places) {
      const found = this.next();
      if (found === undefined) return;
      const [id, tenant, name, owner] = found;
      this.taken += 1;
      tenant.running += 1;
      owner.running += 1;
      // Behind the others.
      this.tenants.delete(id);
      this.tenants.set(id, tenant);
      tenant.owners.delete(name);
      tenant.owners.set(name, owner);
      owner.waiting.shift()!();
    }
  }

  private next(): [string, Tenant, string, Owner] | undefined {
    const mostOfTenant = Math.max(1, this.places - 1);
    for (const [id, tenant] of this.tenants) {
      if (tenant.running >= mostOfTenant) continue;
      // An owner by himself is no tenant that has others to leave a place to.
      const mostOfOwner = tenantOf(id) === null ? mostOfTenant : Math.max(1, mostOfTenant - 1);
      for (const [name, owner] of tenant.owners)
        if (owner.waiting.length > 0 && owner.running < mostOfOwner) return [id, tenant, name, owner];
    }
    return undefined;
  }

  private of(name: string): { tenant: Tenant; owner: Owner } {
    const id = idOf(name);
    const tenant = this.tenants.get(id) ?? { running: 0, owners: new Map<string, Owner>() };
    this.tenants.set(id, tenant);
    const owner = tenant.owners.get(name) ?? { running: 0, waiting: [] };
    tenant.owners.set(name, owner);
    return { tenant, owner };
  }

  private forgetIfIdle(name: string): void {
    const { tenant, owner } = this.of(name);
    if (owner.running === 0 && owner.waiting.length === 0) tenant.owners.delete(name);
    if (tenant.owners.size === 0) this.tenants.delete(idOf(name));
  }
}

/** `acme/` of a tenant, which is nobody's name; else the owner's own. */
function idOf(name: string): string {
  const tenant = tenantOf(name);
  return tenant === null ? name : `${tenant}/`;
}
