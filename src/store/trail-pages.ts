/** Pages of the trail, whatever keeps its entries: what fits the query, each verified against its block. */
import { canonical } from '../shared/canonical';
import type { ReadBlocks } from './content-store';
import type { TrailStore } from './store';
import { entriesOf, TrailQueryError, wanted, type TrailEntry, type TrailPage, type TrailQuery, type Wanted } from './trail';
import { isPosition } from './trail-position';

/** What is at a position: an entry that belongs there, or why there is none. */
export type TrailRead = { position: string } & ({ entry: TrailEntry } | { damaged: TrailPage['damaged'][number] });

/** What keeps the entries. */
export interface TrailSource {
  /** In order, what lies between two times and after a position; entries that do not fit the query may be left out. */
  entries(wanted: Wanted): AsyncIterable<TrailRead>;
}

export class TrailPages implements TrailStore {
  constructor(
    private readonly source: TrailSource,
    private readonly readBlocks: ReadBlocks,
  ) {}

  async query(query: TrailQuery): Promise<TrailPage> {
    const asked = wanted(query);
    if (asked.cursor !== null && !isPosition(asked.cursor))
      throw new TrailQueryError('The cursor is none that a page of the trail gave as next_cursor.');
    const entries: TrailEntry[] = [];
    const damaged: TrailPage['damaged'] = [];
    let last = '';
    let next_cursor: string | null = null;
    for await (const read of this.source.entries(asked)) {
      if ('damaged' in read) {
        damaged.push(read.damaged);
        continue;
      }
      if (!asked.fits(read.entry)) continue;
      if (entries.length === asked.limit) {
        next_cursor = last;
        break;
      }
      entries.push(read.entry);
      last = read.position;
    }
    return { entries: await this.verified(entries), damaged, next_cursor };
  }

  /** What is not there, or says something else, verifies nothing. */
  private async verified(entries: TrailEntry[]): Promise<TrailPage['entries']> {
    const blocks = await this.readBlocks(entries.map((entry) => entry.block));
    return entries.map((entry) => {
      const said = canonical({ ...entry });
      const stored = blocks.get(entry.block);
      return { ...entry, verified: stored !== undefined && entriesOf(stored).some((made) => canonical({ ...made }) === said) };
    });
  }
}
