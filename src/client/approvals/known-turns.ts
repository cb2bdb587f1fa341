/**
 * The waiting turns that an inbox knows: as Temporal lists them, and with their calls once a worker has told them. Whole cards are
 * kept up to a limit; beyond it the largest are dropped, and only their rows stay.
 */
import type { PendingRow } from '../../shapes/inbox';
import type { PendingTurn, Question } from '../../shapes/turn-view';
import { isVisible, type Visibility } from '../turns/listing';
import { rowOf } from './inbox-row';
import { RowLog } from './row-log';
import { TurnCounts } from './turn-counts';

/** A waiting turn as Temporal lists it. */
export type ListedTurn = Omit<PendingTurn, 'calls' | 'unreachable'>;

export interface WaitingCalls extends Pick<PendingTurn, 'calls' | 'unreachable'> {
  /** Differs once the history of the turn has grown. */
  progress: string;
}

export interface KnownTurn {
  listing: ListedTurn;
  /** Null: not read yet, or too large to keep. */
  calls: Question[] | null;
  /** The calls without long fields. Null: not read yet. */
  short: PendingRow['calls'] | null;
  /** Why it could not be read the last time, or only in part. */
  unreachable: string | null;
  progress: string | null;
  /** Characters of the cards of `calls`. */
  size: number;
  /** It was read, or could not be read, at least once. */
  isRead: boolean;
}

/** Characters of all cards that are kept. */
const CARD_ROOM = 32_000_000;
const TOO_LARGE = 'Its cards are too long to be kept ready. GET /v1/turns/:id shows them.';
const NOT_READ = 'It is being read. Ask again in a moment.';

export class KnownTurns {
  readonly log = new RowLog();
  readonly counts = new TurnCounts();
  private readonly turns = new Map<string, KnownTurn>();
  /** By the turn of a sub-agent: the turns that show its calls. */
  private readonly above = new Map<string, Set<KnownTurn>>();
  private size = 0;

  constructor(private readonly cardRoom = CARD_ROOM) {}

  all(): KnownTurn[] {
    return [...this.turns.values()];
  }

  visible(visibility: Visibility): KnownTurn[] {
    return this.all().filter(({ listing }) => isVisible(visibility, listing.requester));
  }

  /** @returns the turn, if it is new, or waits for something else than before: it has to be read */
  note(listing: ListedTurn): KnownTurn | null {
    let known = this.turns.get(listing.turn_id);
    if (known !== undefined && known.listing.requester !== listing.requester) {
      this.drop(known); // the id was free again, and somebody else has taken it
      known = undefined;
    }
    if (known === undefined) {
      const turn = { listing, calls: null, short: null, unreachable: null, progress: null, size: 0, isRead: false };
      this.turns.set(listing.turn_id, turn);
      this.counts.add(listing.requester, { total: 1, done: 0 });
      return turn;
    }
    const isSame = known.listing.state === listing.state && known.listing.tools.join() === listing.tools.join();
    known.listing = listing;
    return isSame ? null : known;
  }

  /** The turns that are not in a new list wait no more. */
  retain(ids: ReadonlySet<string>): void {
    for (const [id, turn] of this.turns) if (!ids.has(id)) this.drop(turn);
  }

  private drop(turn: KnownTurn): void {
    const { turn_id: id, requester } = turn.listing;
    this.turns.delete(id);
    this.size -= turn.size;
    this.counts.add(requester, { total: -1, done: turn.isRead ? -1 : 0 });
    this.placeBelow(turn, []);
    this.log.set(id, requester, null);
    this.showParentsOf(id);
  }

  /** Takes what a worker said of a turn; or, as a text, why none did: what was known of it stays. */
  take(turn: KnownTurn, answer: WaitingCalls | string): void {
    const id = turn.listing.turn_id;
    if (this.turns.get(id) !== turn) return; // removed meanwhile
    if (!turn.isRead) this.counts.add(turn.listing.requester, { total: 0, done: 1 });
    turn.isRead = true;
    if (typeof answer === 'string') turn.unreachable = answer;
    else {
      const { calls, unreachable, progress } = answer;
      const size = calls.reduce((sum, { card }) => sum + JSON.stringify(card).length, 0);
      this.size += size - turn.size;
      const short = rowOf({ ...turn.listing, calls, unreachable }).calls;
      this.placeBelow(turn, short);
      Object.assign(turn, { calls, unreachable, progress, size, short });
      this.dropLargest();
    }
    this.show(turn);
    this.showParentsOf(id);
  }

  /** With whole cards. Null: nothing waits in it. */
  whole({ listing, calls, short, unreachable, isRead }: KnownTurn): PendingTurn | null {
    const own = this.eachOnce(calls ?? []);
    const why = unreachable ?? (isRead ? (calls === null && short !== null ? TOO_LARGE : null) : NOT_READ);
    return own.length === 0 && why === null ? null : { ...listing, calls: own, unreachable: why };
  }

  /** For a list. Null: nothing waits in it. */
  row({ listing, short, unreachable, isRead }: KnownTurn): PendingRow | null {
    const own = this.eachOnce(short ?? []);
    const why = unreachable ?? (isRead ? null : NOT_READ);
    return own.length === 0 && why === null ? null : { ...listing, calls: own, unreachable: why };
  }

  /**
   * A sub-agent's call waits in its own turn, and is shown in the turns above. It is kept in its own turn only, if that is listed.
   */
  private eachOnce<C extends Pick<Question, 'digest' | 'of'>>(calls: readonly C[]): C[] {
    const isOwn = (digest: string, turnId: string) =>
      this.turns.get(turnId)?.short?.some((call) => call.of === undefined && call.digest === digest) ?? false;
    return calls.filter(({ digest, of }) => of === undefined || !isOwn(digest, of.turn_id));
  }

  private show(turn: KnownTurn): void {
    if (turn.isRead) this.log.set(turn.listing.turn_id, turn.listing.requester, this.row(turn));
  }

  private showParentsOf(turnId: string): void {
    for (const turn of this.above.get(turnId) ?? []) this.show(turn);
  }

  /** Notes whose calls a turn shows now, in place of those that it showed before. */
  private placeBelow(turn: KnownTurn, calls: PendingRow['calls']): void {
    const below = (rows: PendingRow['calls']) => new Set(rows.flatMap(({ of }) => (of === undefined ? [] : [of.turn_id])));
    for (const id of below(turn.short ?? [])) {
      const above = this.above.get(id);
      above?.delete(turn);
      if (above?.size === 0) this.above.delete(id);
    }
    for (const id of below(calls)) this.above.set(id, (this.above.get(id) ?? new Set()).add(turn));
  }

  private dropLargest(): void {
    if (this.size <= this.cardRoom) return;
    for (const turn of this.all().sort((a, b) => b.size - a.size)) {
      if (this.size <= this.cardRoom) return;
      this.size -= turn.size;
      Object.assign(turn, { calls: null, size: 0 });
    }
  }
}
