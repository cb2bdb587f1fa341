/** The blocks of a bundle, each once, in the order in which they are written: after its parent, where the store has that. */
import { isJsonObject } from '../../shared/json/json';
import type { BlockKind } from '../../shared/turn/transcript';
import { StoreError, type BlockWithParts, type Store } from '../../store/store';
import { ownText } from './own-text';
import { collect, type References } from './references';

/** Blocks whose bodies are the engine's own; messages are others' words. */
const OWN: ReadonlySet<BlockKind> = new Set(['admission', 'decision', 'dispatch', 'effect', 'settlement']);
/** No conversation comes near it; a store that answers with a loop ends here. */
const MOST_BLOCKS = 1_000_000;

export class Chain {
  private readonly taken = new Set<string>();

  constructor(private readonly store: Store) {}

  /**
   * The blocks up to `tip` that are not taken yet, the first one first, each given to `look`. What is there is taken even where the store lacks
   * a block before it.
   * @returns their hashes, and what is missing before them; null: nothing is
   */
  async take(tip: string, look: (stored: BlockWithParts) => void): Promise<{ hashes: string[]; fault: string | null }> {
    const hashes: string[] = [];
    let fault: string | null = null;
    for (let next: string | null = tip; next !== null && !this.taken.has(next);) {
      if (hashes.length >= MOST_BLOCKS) throw new StoreError('damaged', `The transcript of ${tip} has a loop.`);
      try {
        // As it will be read again when it is written: not from a memory.
        const stored: BlockWithParts = await this.store.getSealedBlock(next);
        look(stored);
        hashes.push(next);
        next = stored.block.parent && ownText(stored.block.parent);
      } catch (error) {
        if (!(error instanceof StoreError)) throw error;
        fault = `The store cannot give block ${next}.`;
        next = null;
      }
    }
    for (const hash of hashes) this.taken.add(hash);
    return { hashes: hashes.reverse(), fault };
  }
}

/** What the bodies of a block refer to. */
export function referencesOf({ block: { kind }, parts }: BlockWithParts, into: References): void {
  const bodies = parts.map(({ body }) => body);
  if (OWN.has(kind)) for (const body of bodies) collect(body, into);
  if (kind !== 'start' || !isJsonObject(bodies[0])) return;
  const { policy_ref = null, definition_ref = null } = bodies[0];
  collect({ policy_ref, definition_ref }, into);
}
