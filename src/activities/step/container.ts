/** The vendor's container: code that waits for results goes on in it, in the same turn or a later one, as long as it exists. */
import { blocksOf } from '../../record/read-block';
import type { PreparedAgent } from '../../tools/catalogue/registry';
import type { StoredBlock } from '../../store/core/seal';

/** The last one that an answer of the conversation named; null: none, or it has expired, or the agent has no tools of the vendor's. */
export function containerOf(blocks: readonly StoredBlock[], { agent }: PreparedAgent, now = Date.now()): string | null {
  if (agent.serverTools.length === 0) return null;
  const last = blocksOf('admission', blocks).findLast(({ container }) => container !== null)?.container;
  if (!last) return null;
  const expires = last.expires_at === null ? NaN : Date.parse(last.expires_at);
  return expires <= now ? null : last.id;
}
