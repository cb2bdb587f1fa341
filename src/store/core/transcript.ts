/** Appending to a transcript, and walking it. */
import type { BlockContent } from '../../record/write-block';
import { lastOf } from '../../record/read-block';
import { StoreError, type NewBlock, type Store } from '../store';
import type { SealedBlock, StoredBlock } from './seal';

/** No turn comes near it; a store that answers with a loop ends here. */
const MAX_BLOCKS = 100_000;

/**
 * Blocks that follow a head. They can be read at once, and are written together by `store()`: the same
 * draft again gives the same blocks, so that a retry after a crash changes nothing.
 */
export class Draft {
  readonly blocks: SealedBlock[] = [];

  /** @param scope first execution run id of the turn */
  constructor(
    private readonly to: Store,
    private readonly scope: string,
    private readonly parent: string | null,
  ) {}

  /** Hash of the last block, or of what the draft follows. */
  get head(): string | null {
    return this.blocks.at(-1)?.hash ?? this.parent;
  }

  /**
   * Adds a block.
   * @param at workflow time, ISO 8601: not the clock, or a retry would give another block
   */
  add({ kind, bodies }: BlockContent, at: string): SealedBlock {
    const block = this.to.seal(this.scope, { parent: this.head, kind, at, bodies });
    this.blocks.push(block);
    return block;
  }

  /** Everything from the first block to the last of the draft. */
  async whole(): Promise<StoredBlock[]> {
    const drafted = this.blocks.map(({ hash, block, parts }) => ({ hash, block, bodies: parts.map((part) => part.body) }));
    return [...(await walk(this.to, this.parent)), ...drafted];
  }

  /** Writes the blocks. Returns the new head, once everything under it is on disk. */
  async store(): Promise<string> {
    await this.to.putBlocks(this.blocks);
    return this.head!;
  }
}

/** Stores one block. The same append again gives the same head, which is returned. */
export async function append(store: Store, scope: string, block: NewBlock): Promise<string> {
  const sealed = store.seal(scope, block);
  await store.putBlocks([sealed]);
  return sealed.hash;
}

/**
 * The blocks from the first to the head; none for a null head.
 * @throws StoreError `not_found` or `damaged`, naming the block; `damaged` beyond 100 000 blocks
 */
export async function walk(store: Store, head: string | null): Promise<StoredBlock[]> {
  const blocks: StoredBlock[] = [];
  for (let hash = head; hash !== null;) {
    if (blocks.length >= MAX_BLOCKS)
      throw new StoreError('damaged', `The transcript of ${head} has more than ${MAX_BLOCKS} blocks, or a loop`);
    const stored: StoredBlock = await store.getBlock(hash);
    blocks.push(stored);
    hash = stored.block.parent;
  }
  return blocks.reverse();
}

// Whose a block is: the start block that comes last before it says so.

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
