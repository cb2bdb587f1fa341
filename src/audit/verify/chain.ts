/** Checks the chain of an agent's bundles: each names the root of the bundle before it, so that a missing bundle is noticed. */
import { quote } from './fault';
import type { Verification } from './verification';

/** A bundle as a link of a chain. A deleted bundle is no link: its tombstone names the root before it. */
export interface Link
  extends Pick<Verification, 'agent' | 'root' | 'previous'>, Partial<Pick<Verification, 'tenant' | 'chained'>> {
  /** The bundle's name in a sentence. */
  name: string;
}

/**
 * The faults between the bundles, a sentence each. A chain's bundles must be given in order. Bundles not `chained` are ignored.
 * @param after root that the first bundle of each chain must follow; null: any
 * @param deletedRoots deleted bundles: root → root of the bundle before it
 */
export function chainFaults(
  links: readonly Link[],
  after: string | null,
  deletedRoots: ReadonlyMap<string, string | null> = new Map(),
): string[] {
  const last = new Map<string, string | null>();
  return links.flatMap(({ agent, tenant, chained = true, root, previous, name }) => {
    if (!chained) return [];
    // A version 1 bundle has no tenant. The operator's chain (tenant null) continues its chain.
    const chain = JSON.stringify([agent, tenant ?? null]);
    const expectedRoot = last.has(chain) ? last.get(chain)! : after;
    last.set(chain, root);
    if (expectedRoot === null || leadsTo(previous?.root ?? null, expectedRoot, deletedRoots)) return [];
    const says = previous === null ? 'names none before it' : `follows root ${previous.root}`;
    return [
      `${name} ${says}, and root ${expectedRoot} was expected: a bundle of agent ${quote(agent)}${typeof tenant === 'string' ? ` and tenant ${quote(tenant)}` : ''} was left out, or the order is another.`,
    ];
  });
}

/** Whether the expected root is `root`, or comes before it, with only deleted bundles between them. */
function leadsTo(root: string | null, expectedRoot: string, deletedRoots: ReadonlyMap<string, string | null>): boolean {
  let at = root;
  for (let steps = 0; at !== null && at !== expectedRoot && steps <= deletedRoots.size; steps++)
    at = deletedRoots.get(at) ?? null;
  return at === expectedRoot;
}
