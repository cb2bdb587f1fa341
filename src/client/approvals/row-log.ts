/**
 * The rows of the inbox in the order of their last change. A reader names the change that it has last, and gets each row that
 * changed since, once, as it is now: no reader needs a queue of its own, and one that was away catches up.
 */
import { randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { PendingRow } from '../../shapes/inbox';
import { isVisible, type Visibility } from '../turns/listing';

export type RowChange = { id: string; seq: number } & (
  | { event: 'waiting_added' | 'waiting_changed'; data: PendingRow }
  | { event: 'waiting_removed'; data: { turn_id: string } }
);

interface LoggedRow {
  turnId: string;
  requester: string;
  /** Null: the turn does not wait any more. */
  row: PendingRow | null;
  /** Numbers of the changes by which it began to wait, and of the last one. */
  added: number;
  changed: number;
}

/** Numbers of former changes that are kept beyond those of the rows, before they are cleared away. */
const FORMER = 1000;
/** Turns that wait no more are remembered for readers who come back; those who were away for longer begin anew. */
const MOST_REMOVALS = 10_000;
const ID = /^([0-9a-f]{16})-(\d{1,15})$/;

export class RowLog {
  /** Other processes number their changes otherwise. */
  private readonly epoch = randomBytes(8).toString('hex');
  private readonly rows = new Map<string, LoggedRow>();
  /** In the order of their change, also former ones of rows that have changed since. */
  private order: LoggedRow[] = [];
  /** In the order of their removal. */
  private readonly removals = new Set<string>();
  /** Readers before this change cannot catch up. */
  private oldest = 0;
  private last = 0;

  /** Number of the last change. */
  get seq(): number {
    return this.last;
  }

  /** @returns whether anything changed */
  set(turnId: string, requester: string, row: PendingRow | null): boolean {
    const before = this.rows.get(turnId);
    if (isDeepStrictEqual(before?.row ?? null, row)) return false;
    this.last += 1;
    const added = before?.row ? before.added : this.last;
    const entry = { turnId, requester, row, added, changed: this.last };
    this.rows.set(turnId, entry);
    this.order.push(entry);
    if (this.order.length > 2 * this.rows.size + FORMER) this.order = this.order.filter((one) => this.isCurrent(one));
    if (row === null) this.remember(turnId);
    else this.removals.delete(turnId);
    return true;
  }

  /** The change that an event's id names; null: it is of another process, or too old, and the reader begins anew. */
  position(id: string | undefined): number | null {
    const [, epoch, seq] = ID.exec(id ?? '') ?? [];
    const position = Number(seq);
    return epoch === this.epoch && position >= this.oldest && position <= this.last ? position : null;
  }

  /** What changed after a position, for one reader, in order; looks at nothing that is older. From 0: all that waits. */
  since(position: number, visibility: Visibility): RowChange[] {
    let from = this.order.length;
    while (from > 0 && this.order[from - 1]!.changed > position) from -= 1;
    return this.order
      .slice(from)
      .filter((one) => this.isCurrent(one) && (one.row !== null || position > 0) && isVisible(visibility, one.requester))
      .map(({ turnId, row, added, changed: seq }) => {
        const id = `${this.epoch}-${seq}`;
        if (row === null) return { id, seq, event: 'waiting_removed', data: { turn_id: turnId } };
        return { id, seq, event: added > position ? 'waiting_added' : 'waiting_changed', data: row };
      });
  }

  private isCurrent(entry: LoggedRow): boolean {
    return this.rows.get(entry.turnId) === entry;
  }

  private remember(turnId: string): void {
    this.removals.add(turnId);
    if (this.removals.size <= MOST_REMOVALS) return;
    const [first] = this.removals;
    this.oldest = this.rows.get(first!)!.changed;
    this.removals.delete(first!);
    this.rows.delete(first!);
  }
}
