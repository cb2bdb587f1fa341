/** Which turns somebody sees: by who asked for them. A name is `tenant/name`, or has no slash. */
import { visibilityText } from '../shared/visibility-text';

export type Sight = { requester: string } | { tenant: string } | 'all';

/** A clause of Temporal's list filter, or none. Names of more than 255 bytes are cut there: what it finds is held to `isInSight`. */
export function sightClause(sight: Sight): string[] {
  if (sight === 'all') return [];
  if ('requester' in sight) return [`HoldfastRequester = ${visibilityText(sight.requester)}`];
  return [`HoldfastRequester STARTS_WITH ${visibilityText(`${sight.tenant}/`)}`];
}

/** Exactly, whatever the collation of Temporal's database. */
export function isInSight(sight: Sight, requester: string): boolean {
  if (sight === 'all') return true;
  return 'requester' in sight ? requester === sight.requester : requester.startsWith(`${sight.tenant}/`);
}
