/** Appending to a transcript, and walking it. */
import type { Json } from '../shared/json';
import type { Block, BlockKind } from '../shared/transcript';
import { StoreError, type Store } from './store';

/** No turn comes near it; a store that answers with a loop ends here. */
const MAX_BLOCKS = 100_000;

export interface Append {
  /** The head so far; null for the first block. */
  parent: string | null;
  kind: BlockKind;
  /** Workflow time, ISO 8601: not the clock, or a retry would give another block. */
  at: string;
  /** One part each, in order. */
  bodies: Json[];
}

/**
 * Stores the parts, then the block that names them: a crash between leaves parts that nothing refers
 * to, never a block with a part missing. The same append again gives the same head.
 * @param scope first execution run id of the turn
 * @returns the new head
 */
export async function append(store: Store, scope: string, { parent, kind, at, bodies }: Append): Promise<string> {
  const parts = await Promise.all(bodies.map((body) => store.putPart(scope, body)));
  return store.putBlock({ v: 'holdfast.block/1', parent, kind, at, parts });
}

/**
 * The blocks from the first to the head; none for a null head.
 * @throws StoreError `not_found` or `damaged`, naming the block; `damaged` beyond 100 000 blocks
 */
export async function walk(store: Store, head: string | null): Promise<{ hash: string; block: Block }[]> {
  const blocks: { hash: string; block: Block }[] = [];
  for (let hash = head; hash !== null;) {
    if (blocks.length >= MAX_BLOCKS)
      throw new StoreError('damaged', `The transcript of ${head} has more than ${MAX_BLOCKS} blocks, or a loop`);
    const block: Block = await store.getBlock(hash);
    blocks.push({ hash, block });
    hash = block.parent;
  }
  return blocks.reverse();
}
