/**
 * The inbox of a process: what waits for people, kept in memory, so that a page with a thousand calls opens at once. It lists the
 * waiting turns every two seconds while somebody reads it, and asks a worker only about turns that are new or whose history has
 * grown since. Nothing is decided from it: a decision names a digest, which the turn and its worker check again.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { InboxEvent, PendingRow } from '../../shapes/inbox';
import type { PendingTurn } from '../../shapes/turn-view';
import type { Visibility } from '../turns/listing';
import type { KnownTurn } from './known-turns';
import { InboxReader, type InboxLimits, type InboxSource } from './inbox-reader';

/** An event of the inbox, with the id after which a reader can go on; null: it has none. */
export type FollowedEvent = InboxEvent & { id: string | null };

const EVERY_MS = 2000;
/** It looks on for so long after somebody has read it, ms. */
const READ_LATELY_MS = 60_000;
/** A stream tells changes together that come within this time, ms. */
const TOGETHER_MS = 300;
/** A look may take a tenth of the time … */
const PAUSE_FACTOR = 9;
/** … but a decision that was made elsewhere must not stay unseen for longer than this, ms. */
const LONGEST_PAUSE_MS = 10_000;

/** @returns how long the inbox does not look after a look that took so long, ms */
export function pauseAfter(tookMs: number): number {
  return Math.min(LONGEST_PAUSE_MS, Math.max(EVERY_MS, tookMs * PAUSE_FACTOR));
}

export class Inbox {
  private readonly reader: InboxReader;
  private readonly closing = new AbortController();
  private readers = 0;
  private readAt = -Infinity;
  private looping: Promise<void> | null = null;

  constructor(source: InboxSource, limits?: InboxLimits) {
    this.reader = new InboxReader(source, limits);
  }

  /** Ends the streams, and waits for what is being asked. */
  async close(): Promise<void> {
    this.closing.abort();
    await Promise.all([this.looping, this.reader.close()]);
  }

  /** All that waits, with whole cards, as it is now. @throws if Temporal does not answer */
  async pending(visibility: Visibility): Promise<PendingTurn[]> {
    this.wake();
    await this.reader.look();
    await this.reader.finish('all');
    return this.visible(visibility, (turn) => this.reader.turns.whole(turn));
  }

  /**
   * The rows of all that waits: at once if the inbox is up to date, otherwise after a moment, also if not everything is read yet.
   * @throws if Temporal does not answer
   */
  async rows(visibility: Visibility): Promise<PendingRow[]> {
    this.wake();
    const { reader } = this;
    const isFresh = Date.now() - reader.listedAt < 2 * EVERY_MS;
    const ready = (isFresh ? Promise.resolve() : reader.look()).then(() => reader.finish('changes'));
    const waiting = new AbortController();
    await Promise.race([ready, pause(EVERY_MS, waiting.signal)]).finally(() => waiting.abort());
    return this.visible(visibility, (turn) => this.reader.turns.row(turn));
  }

  /**
   * What waits and what changes, until the signal aborts. A reader that names its last event gets what changed since; others get
   * everything.
   */
  async *follow({
    after,
    visibility,
    signal,
  }: {
    after?: string | undefined;
    visibility: Visibility;
    signal: AbortSignal;
  }): AsyncGenerator<FollowedEvent> {
    const { turns } = this.reader;
    const stop = AbortSignal.any([signal, this.closing.signal]);
    this.readers += 1;
    try {
      this.wake();
      if (this.reader.listedAt === -Infinity) await this.reader.list().catch(() => undefined);
      const resumed = turns.log.position(after);
      if (resumed === null) yield this.readingEvent(visibility, true);
      let position = resumed ?? 0;
      for (let previous = ''; !stop.aborted;) {
        const { version } = this.reader;
        const changes = turns.log.since(position, visibility);
        position = turns.log.seq;
        for (const { seq: _, ...change } of changes) yield change;
        const reading = this.readingEvent(visibility, false);
        if (JSON.stringify(reading.data) !== previous) yield reading;
        previous = JSON.stringify(reading.data);
        await Promise.all([this.reader.nextChange(version, stop), pause(TOGETHER_MS, stop)]);
      }
    } finally {
      this.readers -= 1;
      this.readAt = Date.now();
    }
  }

  /** Somebody has just decided on these calls: their turns are read again at once. */
  decided(turnId: string, digests: readonly string[]): void {
    this.reader.decided(turnId, digests);
  }

  /** What waits and may be seen, each turn as `view` shows it; with the reason where it may be out of date. */
  private visible<T extends PendingRow>(visibility: Visibility, view: (turn: KnownTurn) => T | null): T[] {
    const { turns, faults } = this.reader;
    return turns.visible(visibility).flatMap((turn) => {
      const row = view(turn);
      return row === null ? [] : [{ ...row, unreachable: row.unreachable ?? faults.workers }];
    });
  }

  private readingEvent(visibility: Visibility, snapshot: boolean): FollowedEvent {
    const { turns } = this.reader;
    const data = { ...turns.counts.of(visibility), fault: this.reader.faultFor(visibility), snapshot };
    return { event: 'waiting_reading', id: null, data };
  }

  // The loop: it looks while somebody reads, and ends otherwise.

  private wake(): void {
    this.readAt = Date.now();
    if (this.closing.signal.aborted) return;
    this.looping ??= this.loop().finally(() => (this.looping = null));
  }

  private async loop(): Promise<void> {
    for (let tookMs = 0; ;) {
      await pause(pauseAfter(tookMs), this.closing.signal);
      const isRead = this.readers > 0 || Date.now() - this.readAt < READ_LATELY_MS;
      if (this.closing.signal.aborted || !isRead) return;
      const began = Date.now();
      await this.reader.look().catch(() => undefined); // the reader keeps the fault
      tookMs = Date.now() - began;
    }
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal, ref: false }).catch(() => undefined);
}
