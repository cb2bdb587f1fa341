/** The vendor's container: code that waits for results goes on in it, in the same turn or a later one, as long as it exists. */
import { isJsonObject } from '../shared/json';
import type { StoredBlock } from '../store/store';
import type { PreparedAgent } from '../tools/registry';

/** The last one that an answer of the conversation named; null: none, or it has expired, or the agent has no tools of the vendor's. */
export function containerOf(blocks: readonly StoredBlock[], { agent }: PreparedAgent, now = Date.now()): string | null {
  if (agent.serverTools.length === 0) return null;
  const headers = blocks.flatMap(({ block, bodies: [body = null] }) => (block.kind === 'admission' ? [body] : []));
  const header = headers.findLast((body) => isJsonObject(body) && isJsonObject(body.container ?? null));
  if (!isJsonObject(header ?? null)) return null;
  const { id, expires_at } = (header as { container: { id?: unknown; expires_at?: unknown } }).container;
  const expires = typeof expires_at === 'string' ? Date.parse(expires_at) : NaN;
  return typeof id === 'string' && !(expires <= now) ? id : null;
}
