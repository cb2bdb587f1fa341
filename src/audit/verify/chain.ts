/** Several bundles: each names the root of the bundle before it, of the same tenant and agent, so that one that was left out shows. */
import { quote } from './fault';
import type { Verification } from './verification';

/** A bundle as a link of a chain; of one that was deleted, its tombstone says it. */
export interface Link
  extends Pick<Verification, 'agent' | 'root' | 'previous'>, Partial<Pick<Verification, 'tenant' | 'chained'>> {
  /** How it is called in a sentence. */
  name: string;
}

/**
 * What is wrong between the bundles, a sentence each; each chain's in the order in which they are given. What was made to be read is none.
 * @param after root that the first one of each chain must follow; null: any
 * @param gone of bundles that were deleted: their root → the root before it
 */
export function chainFaults(
  links: readonly Link[],
  after: string | null,
  gone: ReadonlyMap<string, string | null> = new Map(),
): string[] {
  const last = new Map<string, string | null>();
  return links.flatMap(({ agent, tenant, chained = true, root, previous, name }) => {
    if (!chained) return [];
    // The operator's chain goes on from that of version 1, which was of all tenants.
    const chain = JSON.stringify([agent, tenant ?? null]);
    const wanted = last.has(chain) ? last.get(chain)! : after;
    last.set(chain, root);
    if (wanted === null || leadsTo(previous?.root ?? null, wanted, gone)) return [];
    const says = previous === null ? 'names none before it' : `follows root ${previous.root}`;
    return [
      `${name} ${says}, and root ${wanted} was expected: a bundle of agent ${quote(agent)}${typeof tenant === 'string' ? ` and tenant ${quote(tenant)}` : ''} was left out, or the order is another.`,
    ];
  });
}

/** Over bundles that were deleted, as often as there are any. */
function leadsTo(root: string | null, wanted: string, gone: ReadonlyMap<string, string | null>): boolean {
  let at = root;
  for (let steps = 0; at !== null && at !== wanted && steps <= gone.size; steps++) at = gone.get(at) ?? null;
  return at === wanted;
}
