/** Whose a block is: the start block that comes last before it says so. */
import { lastOf } from '../record/read-block';
import type { Store } from './store';
import type { StoredBlock } from './stored-block';

export interface TurnOfBlock {
  turn_id: string;
  requester: string;
  agent: string;
}

/** @param blocks from the first to the one that is meant. Null: no turn began before it */
export function turnOfBlock(blocks: readonly StoredBlock[]): TurnOfBlock | null {
  const start = lastOf('start', blocks);
  if (start === null) return null;
  const { turn_id, requester, agent } = start;
  return turn_id === null || requester === null || agent === null ? null : { turn_id, requester, agent };
}

/** The same for one block, read from the store as far as its turn's start. @throws StoreError */
export async function findTurnOfBlock(store: Store, hash: string): Promise<TurnOfBlock | null> {
  for (let next: string | null = hash; next !== null;) {
    const stored: StoredBlock = await store.getBlock(next);
    if (stored.block.kind === 'start') return turnOfBlock([stored]);
    next = stored.block.parent;
  }
  return null;
}
