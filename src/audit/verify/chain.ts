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
 */
export function chainFaults(links: readonly Link[], after: string | null): string[] {
  const last = new Map<string | null, string | null>();
  return links.flatMap(({ agent, root, previous, name }) => {
    const wanted = last.has(agent) ? last.get(agent)! : after;
    last.set(agent, root);
    if (wanted === null || previous?.root === wanted) return [];
    const says = previous === null ? 'names none before it' : `follows root ${previous.root}`;
    return [
      `${name} ${says}, and root ${wanted} was expected: a bundle of agent ${quoted(agent)} was left out, or the order is another.`,
    ];
  });
}
