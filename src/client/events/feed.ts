/**
 * One reader for all who watch one turn: a single long poll on its history, and one ear for its live events. Watchers take
 * from the common memory at their own pace; whoever has fallen behind it, or comes to what it has forgotten, reads the history
 * himself until he has caught up. The turn itself never learns that it is watched.
 */
import { setMaxListeners } from 'node:events';
import type { LiveEvent, TurnEvent } from '../../shapes/turn-event';
import type { LiveListener } from '../../live/bus';
import { FeedMemory, type MemoryBounds } from './feed-memory';
import { isAfter, type Position } from './position';
import type { EventRecord } from './turn-log';

/** One event as a watcher is given it. */
export interface WatchedEvent {
  /** Null: it is not durable, and cannot be gone back to. */
  position: Position | null;
  /** Of a durable event: from 1, without gaps. */
  seq: number | null;
  event: TurnEvent;
}

export interface FeedSource {
  /** The durable events from the beginning; with `follow` on to the end. */
  read(reading: { follow: boolean; stop: AbortSignal }): AsyncIterable<EventRecord>;
  /** @returns ends it */
  listen(listener: LiveListener): () => void;
}

export interface FeedOptions {
  /** Called once: nobody can join any more. */
  onOver?: () => void;
  /** How long the reader goes on without a watcher, ms: a client that reconnects finds it. Default 5,000. */
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
  private ended = false;
  private failure: unknown;
  private silence: () => void = () => undefined;

  constructor(
    private readonly source: FeedSource,
    private readonly options: FeedOptions = {},
  ) {
    this.memory = new FeedMemory(options.bounds);
    setMaxListeners(0, this.stop.signal); // one listener for each long poll
    this.silence = source.listen((event) => this.heard(event));
    void this.follow();
  }

  /**
   * From the beginning, or after a position, to the end. Live events that are under way are given to whoever begins, and not
   * to whoever comes back: he has seen them, or will see what they lead to.
   * @param signal ends it; nothing is thrown
   * @throws whatever reading the history throws
   */
  async *watch(after: Position | null, signal: AbortSignal): AsyncGenerator<WatchedEvent> {
    let wake: () => void = () => undefined;
    const abort = () => wake();
    signal.addEventListener('abort', abort, { once: true });
    const joined = after === null ? 0 : this.memory.end;
    let last = after;
    let index = 0;
    this.enter();
    try {
      while (!signal.aborted) {
        if (index < this.memory.first) {
          for await (const recorded of this.readFromHistory(signal)) {
            if (!isAfter(recorded.position, last)) continue;
            last = recorded.position;
            yield toWatchedEvent(recorded);
            if (signal.aborted) return;
          }
          index = this.memory.first;
        }
        if (index < this.memory.end) {
          const one = this.memory.at(index++);
          const { recorded } = one ?? {};
          if (!one || !recorded) {
            if (one && index > joined) yield { position: null, seq: null, event: one.event };
          } else if (isAfter(recorded.position, last)) {
            last = recorded.position;
            yield toWatchedEvent(recorded);
          }
          continue;
        }
        if (this.failure !== undefined) throw this.failure;
        if (this.ended) return;
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

  /** Nothing more is read; those who watch are told that it is over. */
  close(): void {
    this.over();
    this.wakeAll();
  }

  /** What memory has no longer, from the beginning on. */
  private async *readFromHistory(signal: AbortSignal): AsyncGenerator<EventRecord> {
    for await (const recorded of this.source.read({ follow: false, stop: signal })) {
      if (recorded.seq >= this.memory.firstSeq()) return;
      yield recorded;
    }
  }

  private async follow(): Promise<void> {
    try {
      for await (const recorded of this.source.read({ follow: true, stop: this.stop.signal })) {
        this.memory.record(recorded);
        this.wakeAll();
      }
      this.ended = true;
      if (this.watchers === 0) this.over();
    } catch (error) {
      this.failure = error;
      this.over(); // whoever comes now begins anew
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
    if (this.ended) return this.over();
    this.linger = setTimeout(() => this.over(), this.options.lingerMs ?? LINGER_MS);
    this.linger.unref();
  }

  private over(): void {
    if (this.stop.signal.aborted) return;
    this.ended = true;
    this.silence();
    this.stop.abort();
    this.options.onOver?.();
  }
}

function toWatchedEvent({ position, seq, event }: EventRecord): WatchedEvent {
  return { position, seq, event };
}
