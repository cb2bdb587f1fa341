/**
 * Reads what waits into memory: lists the turns, and asks workers about those that are new, or whose history has grown. A list costs
 * Temporal one query, a check of the history one short request, and only a turn that has changed costs its worker anything.
 */
import { EventEmitter, once } from 'node:events';
import { errorMessage } from '../../shared/text/error-message';
import { tenantOf, type Visibility } from '../turns/listing';
import type { Answer } from './bounded-asks';
import { KnownTurns, type KnownTurn, type ListedTurn, type WaitingCalls } from './known-turns';

/** Where an inbox reads; the client has it from Temporal and its workers. */
export interface InboxSource {
  /** The turns that wait now. @throws if Temporal does not answer */
  list(): AsyncIterable<ListedTurn>;
  /** Differs once the turn's history has grown. Asks no worker. */
  progress(turnId: string): Promise<string>;
  /** The waiting calls of a turn. @param isRetry no worker answered for it before */
  read(turnId: string, isRetry: boolean): Promise<Answer<WaitingCalls>>;
  /** Nothing new is asked any more. */
  close(): void;
}

/** In one look: histories that are checked, silent turns that are asked again, turns that are asked to hear of their workers. */
const CHECKS = 100;
const RETRIES = 200;
const PROBES = 3;
const CHECKED_AT_ONCE = 8;
/** More turns of one tenant are not read, and more in all: one tenant must not crowd out the others, nor fill the memory. */
const OF_TENANT = 10_000;
const IN_ALL = 100_000;
/** Workers count as silent when none has answered for so long before a question was given up, ms. */
const SILENT_MS = 4000;

interface Times {
  /** What is being read now. */
  reading: Promise<void> | null;
  /** It is read because it is new, or has changed. */
  isNew: boolean;
  /** It has changed since the reading began. */
  again: boolean;
  askedAt: number;
  checkedAt: number;
}

export interface InboxLimits {
  /** Characters of all whole cards that are kept. */
  cardRoom?: number;
  /** Turns of one tenant that are read. */
  ofTenant?: number;
}

export class InboxReader {
  readonly turns: KnownTurns;
  /** Why what is known may be out of date; null: nothing is wrong. */
  readonly faults: { temporal: string | null; workers: string | null } = { temporal: null, workers: null };
  /** When the last list was complete, ms. */
  listedAt = -Infinity;
  /** Grows with each change of what is known. */
  version = 0;
  private readonly times = new WeakMap<KnownTurn, Times>();
  private readonly changes = new EventEmitter().setMaxListeners(0);
  private answeredAt = -Infinity;
  private listing: Promise<void> | null = null;
  private nextListing: Promise<void> | null = null;
  /** Tenants with more turns than are read. */
  private overflow: ReadonlySet<string> = new Set();

  constructor(
    private readonly source: InboxSource,
    private readonly limits: InboxLimits = {},
  ) {
    this.turns = new KnownTurns(limits.cardRoom);
  }

  /** Why what somebody sees is not up to date, or not all; null: nothing is wrong. */
  faultFor(visibility: Visibility): string | null {
    const { temporal, workers } = this.faults;
    const own = visibility === 'all' ? null : 'tenant' in visibility ? visibility.tenant : tenantOf(visibility.requester);
    const isCrowded = own === null ? this.overflow.size > 0 : this.overflow.has(own);
    return temporal ?? (isCrowded ? `More turns wait than are listed: at most ${this.mostOfTenant} of one tenant.` : workers);
  }

  private get mostOfTenant(): number {
    return this.limits.ofTenant ?? OF_TENANT;
  }

  /** Lists, and begins to read what has changed. @throws if Temporal does not answer */
  async look(): Promise<void> {
    await this.list();
    await this.checkProgress();
    this.askAgain();
  }

  /** Resolves when nothing is being read; or, of `changes` only, nothing that is new or has changed. */
  async finish(of: 'all' | 'changes'): Promise<void> {
    const times = this.turns.all().map((turn) => this.timesOf(turn));
    await Promise.all(times.flatMap(({ isNew, reading }) => (reading !== null && (isNew || of === 'all') ? [reading] : [])));
  }

  /** Asks nothing any more, and waits for what is being asked: a connection must not close under a request that the SDK repeats. */
  async close(): Promise<void> {
    this.source.close();
    await Promise.allSettled([this.listing, this.nextListing, this.finish('all')]);
  }

  /** Resolves once what is known differs from that version, or the signal aborts. */
  async nextChange(version: number, signal: AbortSignal): Promise<void> {
    if (this.version === version && !signal.aborted) await once(this.changes, 'change', { signal }).catch(() => undefined);
  }

  decided(turnId: string, digests: readonly string[]): void {
    for (const turn of this.turns.all())
      if (turn.listing.turn_id === turnId || turn.short?.some(({ digest }) => digests.includes(digest)))
        void this.read(turn, true);
  }

  /** A list that begins after this call; callers who come during one share the next. @throws if Temporal does not answer */
  list(): Promise<void> {
    const { listing } = this;
    if (listing === null) return (this.listing = this.listOnce().finally(() => (this.listing = null)));
    const another = () => {
      this.nextListing = null;
      return this.list();
    };
    return (this.nextListing ??= listing.then(another, another));
  }

  private async listOnce(): Promise<void> {
    const listed = new Set<string>();
    const toRead: KnownTurn[] = [];
    const byTenant = new Map<string, number>();
    const overflow = new Set<string>();
    try {
      for await (const turn of this.source.list()) {
        const tenant = tenantOf(turn.requester);
        const count = (byTenant.get(tenant) ?? 0) + 1;
        byTenant.set(tenant, count);
        if (count > this.mostOfTenant || listed.size >= IN_ALL) {
          overflow.add(tenant);
          continue;
        }
        listed.add(turn.turn_id);
        const changed = this.turns.note(turn);
        if (changed !== null) toRead.push(changed);
      }
    } catch (error) {
      this.faults.temporal = `Temporal does not answer: ${errorMessage(error)}`;
      this.notify();
      throw error;
    } finally {
      this.readOldestFirst(toRead);
    }
    this.turns.retain(listed);
    this.faults.temporal = null;
    this.overflow = overflow;
    this.listedAt = Date.now();
    this.notify();
  }

  /** Temporal lists the newest first, but the calls that have waited longest expire first. */
  private readOldestFirst(turns: KnownTurn[]): void {
    const started = ({ listing }: KnownTurn) => listing.started_at;
    turns.sort((a, b) => (started(a) < started(b) ? -1 : Number(started(a) > started(b))));
    for (const turn of turns) void this.read(turn, true);
  }

  /** Of those first that show nothing, or were not looked at for long. */
  private async checkProgress(): Promise<void> {
    const order = (turn: KnownTurn) => (turn.short?.length === 0 ? 0 : this.timesOf(turn).checkedAt);
    const queue = this.idle()
      .sort((a, b) => order(a) - order(b))
      .slice(0, CHECKS);
    const check = async () => {
      for (let turn = queue.shift(); turn !== undefined; turn = queue.shift()) {
        this.timesOf(turn).checkedAt = Date.now();
        const progress = await this.source.progress(turn.listing.turn_id).catch(() => turn!.progress);
        if (progress !== turn.progress) void this.read(turn, true);
      }
    };
    await Promise.all(Array.from({ length: CHECKED_AT_ONCE }, check));
  }

  /** Asks the turns again that no worker answered for, and a few others, to learn whether their workers answer. */
  private askAgain(): void {
    const oldest = this.idle().sort((a, b) => this.timesOf(a).askedAt - this.timesOf(b).askedAt);
    const silent = oldest.filter(({ unreachable }) => unreachable !== null).slice(0, RETRIES);
    const others = oldest.filter(({ unreachable }) => unreachable === null).slice(0, PROBES);
    for (const turn of [...silent, ...others]) void this.read(turn);
  }

  private idle(): KnownTurn[] {
    return this.turns.all().filter((turn) => turn.isRead && this.timesOf(turn).reading === null);
  }

  /** @param isNew it is new, or has changed: a reading that began before does not count */
  private read(turn: KnownTurn, isNew = false): Promise<void> {
    const times = this.timesOf(turn);
    times.isNew ||= isNew;
    if (times.reading === null) times.reading = this.readUntilCurrent(turn, times);
    else times.again ||= isNew;
    return times.reading;
  }

  private async readUntilCurrent(turn: KnownTurn, times: Times): Promise<void> {
    do {
      times.again = false;
      const answered = await this.source.read(turn.listing.turn_id, turn.unreachable !== null);
      times.askedAt = times.checkedAt = Date.now();
      if (answered.ok) this.answeredAt = Date.now();
      const isSilent = !answered.ok && answered.noWorker && Date.now() - this.answeredAt > SILENT_MS;
      if (answered.ok || isSilent) this.faults.workers = answered.ok ? null : answered.why;
      this.turns.take(turn, answered.ok ? answered.answer : answered.why);
      this.notify();
    } while (times.again);
    // At once: a change after this begins another reading.
    Object.assign(times, { reading: null, isNew: false });
  }

  private timesOf(turn: KnownTurn): Times {
    const times = this.times.get(turn) ?? { reading: null, isNew: false, again: false, askedAt: 0, checkedAt: 0 };
    this.times.set(turn, times);
    return times;
  }

  private notify(): void {
    this.version += 1;
    this.changes.emit('change');
  }
}
