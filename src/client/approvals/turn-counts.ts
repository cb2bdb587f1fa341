/**
 * How many turns wait, and how many of them are read, for each part of the inbox that somebody may see: a stream tells it at each
 * change, and must not go over all turns for that.
 */
import type { Visibility } from '../turns/listing';

export interface TurnCount {
  total: number;
  done: number;
}

export class TurnCounts {
  private readonly counts = new Map<string, TurnCount>();

  add(requester: string, { total, done }: TurnCount): void {
    for (const part of partsWith(requester)) {
      const count = this.counts.get(part) ?? { total: 0, done: 0 };
      const sum = { total: count.total + total, done: count.done + done };
      if (sum.total > 0) this.counts.set(part, sum);
      else this.counts.delete(part);
    }
  }

  of(visibility: Visibility): TurnCount {
    return this.counts.get(partOf(visibility)) ?? { total: 0, done: 0 };
  }
}

function partOf(visibility: Visibility): string {
  if (visibility === 'all') return 'all';
  return 'requester' in visibility ? `requester ${visibility.requester}` : `tenant ${visibility.tenant}`;
}

/** Every part in which a requester's turns are visible, as `isVisible` says: a tenant is what stands before a slash. */
function partsWith(requester: string): string[] {
  const tenants = [...requester.matchAll(/\//g)].map(({ index }) => ({ tenant: requester.slice(0, index) }));
  return ['all' as const, { requester }, ...tenants].map(partOf);
}
