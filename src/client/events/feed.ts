/**
 * Reads one turn for all of its watchers: one long poll on its history, and one subscription to its live events. Watchers read
 * from the shared memory at their own pace. A watcher that needs events which memory has dropped reads the history itself until
 * it has caught up. Watching does not affect the turn.
 */
import { setMaxListeners } from 'node:events';
import type { LiveEvent, TurnEvent } from '../../shapes/turn-event';
import type { LiveListener } from '../../live/bus';
import { FeedMemory, type MemoryBounds } from './feed-memory';
import { isAfter, type Position } from './position';
import type { EventRecord } from './turn-log';

/** One event as a watcher gets it. */
export interface WatchedEvent {
  /** Null: the event is not durable, and no watch can resume from it. */
  position: Position | null;
  /** Number of a durable event: from 1, without gaps. */
  seq: number | null;
  event: TurnEvent;
}

export interface FeedSource {
  /** The durable events from the beginning; with `follow` until the turn ends. */
  read(reading: { follow: boolean; stop: AbortSignal }): AsyncIterable<EventRecord>;
  /** @returns the unsubscribe function */
  listen(listener: LiveListener): () => void;
}

export interface FeedOptions {
  /** Called once, when no watcher can join any more. */
  onOver?: () => void;
  /** How long the reader goes on without a watcher, ms, so that a client that reconnects finds it. Default 5,000. */
  lingerMs?: number;
  bounds?: MemoryBounds;
}

const LINGER_MS = 5000;

export class Feed {
  private readonly memory: FeedMemory;
  private readonly stop = new AbortController();
  private readonly wakers = new Set<() => void>();
  private watchers = 0;
  private linger: NodeJS.Timeout | null = null;
  private hasEnded = false;
  private failure: unknown;
  private unsubscribe: () => void = () => undefined;

  constructor(
    private readonly source: FeedSource,
    private readonly options: FeedOptions = {},
  ) {
    this.memory = new FeedMemory(options.bounds);
    setMaxListeners(0, this.stop.signal); // one listener for each long poll
    this.unsubscribe = source.listen((event) => this.heard(event));
    void this.follow();
  }

  /**
   * Yields the events from the beginning, or after a position, until the turn ends. A new watcher gets the live events in memory
   * too. A watcher that resumes does not: it has seen them, or will get what they lead to.
   * @param signal ends the watch without an error
   * @throws errors of reading the history
   */
  async *watch(after: Position | null, signal: AbortSignal): AsyncGenerator<WatchedEvent> {
    let wake: () => void = () => undefined;
    const abort = () => wake();
    signal.addEventListener('abort', abort, { once: true });
    const start = after === null ? 0 : this.memory.end;
    let last = after;
    let index = 0;
    this.enter();
    try {
      while (!signal.aborted) {
        if (index < this.memory.first) {
          let seq = 0;
          for await (const record of this.readFromHistory(signal)) {
            seq = record.seq;
            if (!isAfter(record.position, last)) continue;
            last = record.position;
            yield toWatchedEvent(record);
            if (signal.aborted) return;
          }
          // What was read ends where the history did when reading began; memory may have dropped more since then.
          if (seq + 1 < this.memory.firstSeq()) continue;
          index = this.memory.first;
        }
        if (index < this.memory.end) {
          const one = this.memory.at(index++);
          const { record: recordOfEntry } = one ?? {};
          if (!one || !recordOfEntry) {
            if (one && index > start) yield { position: null, seq: null, event: one.event };
          } else if (isAfter(recordOfEntry.position, last)) {
            last = recordOfEntry.position;
            yield toWatchedEvent(recordOfEntry);
          }
          continue;
        }
        if (this.failure !== undefined) throw this.failure;
        if (this.hasEnded) return;
        await new Promise<void>((resolve) => {
          wake = resolve;
          this.wakers.add(resolve);
        });
        this.wakers.delete(wake);
      }
    } finally {
      signal.removeEventListener('abort', abort);
      this.wakers.delete(wake);
      this.leave();
    }
  }

  /** Stops reading, and ends all watches. */
  close(): void {
    this.over();
    this.wakeAll();
  }

  /** The events that memory has dropped, from the turn's beginning. */
  private async *readFromHistory(signal: AbortSignal): AsyncGenerator<EventRecord> {
    for await (const record of this.source.read({ follow: false, stop: signal })) {
      if (record.seq >= this.memory.firstSeq()) return;
      yield record;
    }
  }

  private async follow(): Promise<void> {
    try {
      for await (const record of this.source.read({ follow: true, stop: this.stop.signal })) {
        this.memory.record(record);
        this.wakeAll();
      }
      this.hasEnded = true;
      if (this.watchers === 0) this.over();
    } catch (error) {
      this.failure = error;
      this.over(); // the next watcher gets a new feed
    }
    this.wakeAll();
  }

  private heard(event: LiveEvent): void {
    if (this.memory.live(event)) this.wakeAll();
  }

  private wakeAll(): void {
    const all = [...this.wakers];
    this.wakers.clear();
    for (const wake of all) wake();
  }

  private enter(): void {
    this.watchers += 1;
    if (this.linger) clearTimeout(this.linger);
    this.linger = null;
  }

  private leave(): void {
    this.watchers -= 1;
    if (this.watchers > 0) return;
    if (this.hasEnded) return this.over();
    this.linger = setTimeout(() => this.over(), this.options.lingerMs ?? LINGER_MS);
    this.linger.unref();
  }

  private over(): void {
    if (this.stop.signal.aborted) return;
    this.hasEnded = true;
    this.unsubscribe();
    this.stop.abort();
    this.options.onOver?.();
  }
}

function toWatchedEvent({ position, seq, event }: EventRecord): WatchedEvent {
  return { position, seq, event };
}
