/**
 * Schedules tasks fairly on a limited number of threads: tenants take turns, and within a tenant its owners, so that an owner's
 * hundred tasks delay mostly that owner. No tenant and no owner may use all threads: otherwise the others would wait for those
 * tasks' time limits. An owner without a tenant counts as a tenant.
 */
import { tenantOf } from '../../shared/ids';

interface Tenant {
  running: number;
  /** Owners with running or waiting tasks; the next one to run is first. */
  owners: Map<string, Owner>;
}

interface Owner {
  running: number;
  waiting: (() => void)[];
}

export class FairScheduler {
  /** The next tenant to run is first. */
  private readonly tenants = new Map<string, Tenant>();
  private running = 0;

  /** @param places how many tasks run at once; where there is only one place, a single tenant may use it */
  constructor(private readonly places: number) {}

  /**
   * Resolves when the owner has a place; `leave` must give it back.
   * @param signal ends the wait: then its reason is thrown, and there is no place to give back
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
    this.running -= 1;
    tenant.running -= 1;
    owner.running -= 1;
    this.forgetIfIdle(name);
    this.admit();
  }

  private admit(): void {
    while (this.running < this.places) {
      const next = this.next();
      if (next === undefined) return;
      const [id, tenant, name, owner] = next;
      this.running += 1;
      tenant.running += 1;
      owner.running += 1;
      // Move both to the end.
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
      // An owner without a tenant shares its places with no other owner, so the tenant's limit applies.
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

/** `acme/` for a tenant, which is never an owner's name; else the owner's name. */
function idOf(name: string): string {
  const tenant = tenantOf(name);
  return tenant === null ? name : `${tenant}/`;
}
