/** Checks the chain of an agent's bundles: each names the root of the bundle before it, so that a missing bundle is noticed. */
import { quote } from './fault';
import type { Verification } from './verification';

/** A bundle as a link of a chain. A deleted bundle is in `gone`, from its tombstone. */
export interface Link
  extends Pick<Verification, 'agent' | 'root' | 'previous'>, Partial<Pick<Verification, 'tenant' | 'chained'>> {
  /** The bundle's name in a sentence. */
  name: string;
}

/**
 * The faults between the bundles, a sentence each. A chain's bundles must be given in order. Bundles not `chained` are ignored.
 * @param after root that the first bundle of each chain must follow; null: any
 * @param gone deleted bundles: root → root of the bundle before it
 */
export function chainFaults(
  links: readonly Link[],
  after: string | null,
  gone: ReadonlyMap<string, string | null> = new Map(),
): string[] {
  const last = new Map<string, string | null>();
  return links.flatMap(({ agent, tenant, chained = true, root, previous, name }) => {
    if (!chained) return [];
    // A version 1 bundle has no tenant. The operator's chain (tenant null) continues its chain.
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

/** Whether `wanted` is `root`, or lies before it over deleted bundles. */
function leadsTo(root: string | null, wanted: string, gone: ReadonlyMap<string, string | null>): boolean {
  let at = root;
  for (let steps = 0; at !== null && at !== wanted && steps <= gone.size; steps++) at = gone.get(at) ?? null;
  return at === wanted;
}
