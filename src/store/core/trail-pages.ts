/** Pages of the trail, over any source of entries: the entries that match the query, each verified against its block. */
import { sha256Hex } from '../../shared/json/sha256';
import { hashJson } from '../../shared/json/digests';
import { canonical } from '../../shared/json/canonical';
import type { TrailStore } from '../store';
import type { ReadBlocks } from './content-store';
import {
  entriesOf,
  TrailQueryError,
  checkTrailQuery,
  type TrailEntry,
  type TrailPage,
  type TrailQuery,
  type CheckedTrailQuery,
  TRAIL_KINDS,
} from './trail';

/** What a position holds: an entry that belongs there, or why there is none. */
export type TrailRead = { position: string } & ({ entry: TrailEntry } | { damaged: TrailPage['damaged'][number] });

/** Keeps the entries. */
export interface TrailSource {
  /** The entries between two times and after a position, in order; entries that do not match the query may be left out. */
  entries(query: CheckedTrailQuery): AsyncIterable<TrailRead>;
}

export class TrailPages implements TrailStore {
  constructor(
    private readonly source: TrailSource,
    private readonly readBlocks: ReadBlocks,
  ) {}

  async query(query: TrailQuery): Promise<TrailPage> {
    const checkedQuery = checkTrailQuery(query);
    if (checkedQuery.cursor !== null && !isPosition(checkedQuery.cursor))
      throw new TrailQueryError('The cursor is none that a page of the trail gave as next_cursor.');
    const entries: TrailEntry[] = [];
    const faults: TrailPage['damaged'] = [];
    let last = '';
    let next_cursor: string | null = null;
    for await (const read of this.source.entries(checkedQuery)) {
      if ('damaged' in read) {
        faults.push(read.damaged);
        continue;
      }
      if (!checkedQuery.fits(read.entry)) continue;
      if (entries.length === checkedQuery.limit) {
        next_cursor = last;
        break;
      }
      entries.push(read.entry);
      last = read.position;
    }
    return { entries: await this.verifyEntries(entries), damaged: faults, next_cursor };
  }

  /** An entry is not verified if its block is missing or says something else. */
  private async verifyEntries(entries: TrailEntry[]): Promise<TrailPage['entries']> {
    const blocks = await this.readBlocks(entries.map((entry) => entry.block));
    return entries.map((entry) => {
      const text = canonical({ ...entry });
      const block = blocks.get(entry.block);
      return { ...entry, verified: block !== undefined && entriesOf(block).some((own) => canonical({ ...own }) === text) };
    });
  }
}

// The position of an entry in the trail: `<UTC day>/<name>.json`. The name begins with the fields that order entries (time, turn,
// call, revision, kind), so that a page is read in the order of positions. It ends with a hash of the entry without its block: the
// same entry from another block, which a lost attempt left, has the same position.

const DAY = /^\d{4}-\d\d-\d\d$/;
const NAME = /^(\d\d)-(\d\d)-(\d\d)\.(\d{3})_[0-9a-f]{12}_\d{6}-\d{6}_\d{6}_\d_[0-9a-f]{32}\.json$/;

export function positionOf({ block: _, ...said }: TrailEntry): string {
  const [step = '', index = ''] = said.call_id.split('.');
  const call = `${step.padStart(6, '0')}-${index.padStart(6, '0')}`;
  const revision = String(said.revision).padStart(6, '0');
  const end = `${call}_${revision}_${TRAIL_KINDS.indexOf(said.kind)}_${hashJson(said).slice(0, 32)}.json`;
  return `${beginOf(said.at)}${nameOf(said.workflow_id)}${end}`;
}

/** Stands in the positions of all entries of the workflow, and of few others. */
export function nameOf(workflow: string): string {
  return `_${sha256Hex(workflow).slice(0, 12)}_`;
}

/** No position from this time on sorts before it. @param at full ISO 8601, as entries have it */
export function beginOf(at: string): string {
  return `${at.slice(0, 10)}/${at.slice(11, 23).replaceAll(':', '-')}`;
}

export function isDay(text: string): boolean {
  return DAY.test(text);
}

export function isPosition(text: string): boolean {
  return text.length < 200 && isDay(text.split('/')[0]!) && timeIn(text) !== null;
}

/** The time in a position, as ISO 8601; null: it is not the position of an entry. */
export function timeIn(position: string): string | null {
  const [day = '', name = ''] = position.split('/');
  const [, hours, minutes, seconds, ms] = NAME.exec(name) ?? [];
  return hours === undefined ? null : `${day}T${hours}:${minutes}:${seconds}.${ms}Z`;
}
