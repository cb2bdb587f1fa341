/**
 * The inbox of a process: what waits for people, kept in memory, so that a page with a thousand calls opens at once. It lists the
 * waiting turns every two seconds while somebody reads it, and asks a worker only about turns that are new or whose history has
 * grown since. Nothing is decided from it: a decision names a digest, which the turn and its worker check again.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { InboxEvent, PendingRow } from '../../shapes/inbox';
import type { PendingTurn } from '../../shapes/turn-view';
import type { Visibility } from '../turns/listing';
import { InboxReader, type InboxSource } from './inbox-reader';

/** An event of the inbox, with the id after which a reader can go on; null: it has none. */
export type FollowedEvent = InboxEvent & { id: string | null };

const EVERY_MS = 2000;
/** It looks on for so long after somebody has read it, ms. */
const READ_LATELY_MS = 60_000;
/** A look may take a tenth of the time. */
const PAUSE_FACTOR = 9;

export class Inbox {
  private readonly reader: InboxReader;
  private readonly closing = new AbortController();
  private readers = 0;
  private readAt = -Infinity;
  private isLooping = false;

  /** @param mostKept characters of all whole cards that are kept */
  constructor(source: InboxSource, mostKept?: number) {
    this.reader = new InboxReader(source, mostKept);
  }

  close(): void {
    this.closing.abort();
  }

  /** All that waits, with whole cards, as it is now. @throws if Temporal does not answer */
  async pending(sight: Visibility): Promise<PendingTurn[]> {
    this.wake();
    await this.reader.look();
    await this.reader.settled('all');
    return this.answered(sight, 'whole');
  }

  /**
   * The rows of all that waits: at once if the inbox is up to date, otherwise after a moment, also if not everything is read yet.
   * @throws if Temporal does not answer
   */
  async rows(sight: Visibility): Promise<PendingRow[]> {
    this.wake();
    const { reader } = this;
    const isFresh = Date.now() - reader.listedAt < 2 * EVERY_MS;
    const ready = (isFresh ? Promise.resolve() : reader.look()).then(() => reader.settled('changes'));
    await Promise.race([ready, this.pause(EVERY_MS)]);
    return this.answered(sight, 'row');
  }

  /**
   * What waits and what changes, until the signal aborts. A reader that names its last event gets what changed since; others get
   * everything.
   */
  async *follow({
    after,
    sight,
    signal,
  }: {
    after?: string | undefined;
    sight: Visibility;
    signal: AbortSignal;
  }): AsyncGenerator<FollowedEvent> {
    const { known } = this.reader;
    const stop = AbortSignal.any([signal, this.closing.signal]);
    this.readers += 1;
    try {
      this.wake();
      if (this.reader.listedAt === -Infinity) await this.reader.list().catch(() => undefined);
      const resumed = known.log.position(after);
      if (resumed === null) yield this.readingEvent(sight, true);
      let position = resumed ?? 0;
      for (let told = ''; !stop.aborted;) {
        const { version } = this.reader;
        const changes = known.log.since(position, sight);
        position = known.log.seq;
        for (const { seq: _, ...change } of changes) yield change;
        const reading = this.readingEvent(sight, false);
        if (JSON.stringify(reading.data) !== told) yield reading;
        told = JSON.stringify(reading.data);
        await this.reader.changed(version, stop);
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

  private answered<K extends 'whole' | 'row'>(sight: Visibility, as: K): (K extends 'whole' ? PendingTurn : PendingRow)[];
  private answered(sight: Visibility, as: 'whole' | 'row'): (PendingTurn | PendingRow)[] {
    const { known, faults } = this.reader;
    return known.visible(sight).flatMap((turn) => {
      const one = known[as](turn);
      return one === null ? [] : [{ ...one, unreachable: one.unreachable ?? faults.workers }];
    });
  }

  private readingEvent(sight: Visibility, snapshot: boolean): FollowedEvent {
    const { known, faults } = this.reader;
    const turns = known.visible(sight);
    const done = turns.filter(({ isRead }) => isRead).length;
    const data = { done, total: turns.length, fault: faults.temporal ?? faults.workers, snapshot };
    return { event: 'waiting_reading', id: null, data };
  }

  // The loop: it looks while somebody reads, and ends otherwise.

  private wake(): void {
    this.readAt = Date.now();
    if (this.isLooping || this.closing.signal.aborted) return;
    this.isLooping = true;
    void this.loop().finally(() => (this.isLooping = false));
  }

  private async loop(): Promise<void> {
    for (let tookMs = 0; ;) {
      await this.pause(Math.max(EVERY_MS, tookMs * PAUSE_FACTOR));
      const isRead = this.readers > 0 || Date.now() - this.readAt < READ_LATELY_MS;
      if (this.closing.signal.aborted || !isRead) return;
      const began = Date.now();
      await this.reader.look().catch(() => undefined); // the reader keeps the fault
      tookMs = Date.now() - began;
    }
  }

  private async pause(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.closing.signal, ref: false }).catch(() => undefined);
  }
}
