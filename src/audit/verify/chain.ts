/** Several bundles: each names the root of the agent's bundle before it, so that one that was left out shows. */
import { quoted } from './fault';
import type { Verification } from './index';

/** A bundle as a link of its agent's chain; of one that was deleted, its tombstone says it. */
export interface Link extends Pick<Verification, 'agent' | 'root' | 'previous'> {
  /** How it is called in a sentence. */
  name: string;
}

/**
 * What is wrong between the bundles, a sentence each; each agent's in the order in which they are given.
 * @param after root that the first one of each agent must follow; null: any
 * @param gone of bundles that were deleted: their root → the root before it
 */
export function chainFaults(
  links: readonly Link[],
  after: string | null,
  gone: ReadonlyMap<string, string | null> = new Map(),
): string[] {
  const last = new Map<string | null, string | null>();
  return links.flatMap(({ agent, root, previous, name }) => {
    const wanted = last.has(agent) ? last.get(agent)! : after;
    last.set(agent, root);
    if (wanted === null || leadsTo(previous?.root ?? null, wanted, gone)) return [];
    const says = previous === null ? 'names none before it' : `follows root ${previous.root}`;
    return [
      `${name} ${says}, and root ${wanted} was expected: a bundle of agent ${quoted(agent)} was left out, or the order is another.`,
    ];
  });
}

/** Over bundles that were deleted, as often as there are any. */
function leadsTo(root: string | null, wanted: string, gone: ReadonlyMap<string, string | null>): boolean {
  let at = root;
  for (let steps = 0; at !== null && at !== wanted && steps <= gone.size; steps++) at = gone.get(at) ?? null;
  return at === wanted;
}
