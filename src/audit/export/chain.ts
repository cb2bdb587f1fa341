/** Collects the blocks of a bundle, each once, in the order of its lines: after its parent, if the store has the parent. */
import { readBlock, type ReadStart } from '../../record/read-block';
import { filesInContent } from '../../record/stored-file';
import type { BlockKind } from '../../shared/turn/transcript';
import type { StoredBlock } from '../../store/core/seal';
import { StoreError, type BlockWithParts, type Store } from '../../store/store';
import { ownText } from './own-text';
import { collect, type References } from './references';

/** Kinds of blocks whose bodies the engine writes; messages are written by others. */
const OWN: ReadonlySet<BlockKind> = new Set(['admission', 'decision', 'dispatch', 'effect', 'settlement']);
/** More than any conversation has. The limit ends a loop in a damaged store. */
const MOST_BLOCKS = 1_000_000;

export class Chain {
  /** The blocks that were taken, each with the start of its turn; null: the store cannot give that. */
  private readonly startsByBlock = new Map<string, ReadStart | null>();

  constructor(private readonly store: Store) {}

  /** The start of the turn of a block. Null: the store cannot give it. */
  async startOf(hash: string): Promise<ReadStart | null> {
    try {
      for (let next: string | null = hash; next !== null;) {
        const start = this.startsByBlock.get(next);
        if (start !== undefined) return start;
        const { block, bodies }: StoredBlock = await this.store.getBlock(next);
        if (block.kind === 'start') return startIn({ block, bodies });
        next = block.parent;
      }
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
    }
    return null;
  }

  /**
   * Takes the blocks up to `tip` that are not taken yet, and calls `look` with each. If the store lacks a block, the blocks after
   * it are taken all the same.
   * @param other if the conversation before `tip` is of another requester, the start of its turn: only `tip` is taken
   * @returns their hashes, oldest first, and the fault if a block before them is missing; null: none is
   */
  async take(
    tip: string,
    look: (sealedBlock: BlockWithParts) => void,
    other: ReadStart | null = null,
  ): Promise<{ hashes: string[]; fault: string | null }> {
    const hashes: string[] = [];
    const starts = new Map<string, ReadStart | null>();
    let fault = other && `The conversation before block ${tip} is of another requester, and was left out.`;
    let next: string | null = tip;
    while (next !== null && !this.startsByBlock.has(next)) {
      if (hashes.length >= MOST_BLOCKS) throw new StoreError('damaged', `The transcript of ${tip} has a loop.`);
      try {
        // Not from a cache: the block is read from the store again when its line is written.
        const sealedBlock: BlockWithParts = await this.store.getSealedBlock(next);
        look(sealedBlock);
        hashes.push(next);
        const { block, parts } = sealedBlock;
        if (block.kind === 'start') starts.set(next, startIn({ block, bodies: parts.map(({ body }) => body) }));
        next = other ? null : block.parent && ownText(block.parent);
      } catch (error) {
        if (!(error instanceof StoreError)) throw error;
        fault = `The store cannot give block ${next}.`;
        next = null;
      }
    }
    hashes.reverse();
    let start = next === null ? other : this.startsByBlock.get(next)!;
    for (const hash of hashes) {
      start = starts.get(hash) ?? start;
      this.startsByBlock.set(hash, start);
    }
    return { hashes, fault };
  }
}

function startIn(block: Parameters<typeof readBlock>[0]): ReadStart | null {
  const read = readBlock(block);
  return read?.kind === 'start' ? read : null;
}

/** Adds what a block refers to. */
export function referencesOf({ block, parts }: BlockWithParts, into: References): void {
  const bodies = parts.map(({ body }) => body);
  if (OWN.has(block.kind)) for (const body of bodies) collect(body, into);
  const read = readBlock({ block, bodies });
  // Of messages only the files: a reference in what a model or a tool wrote counts for nothing.
  if (read?.kind === 'message' && read.role === 'user')
    for (const { file } of filesInContent(read.content)) into.parts.add(ownText(file));
  if (read?.kind === 'start') collect({ policy_ref: read.policy_ref, definition_ref: read.definition_ref }, into);
}
