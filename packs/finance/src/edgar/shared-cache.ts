/**
 * A cache of parsed answers, which drops the least recently used entry first. Callers that ask for the same key at the same time
 * share one load, which stops when the last of them has left. They share its failure too (in tools/run/cache.ts the next caller
 * tries again): asking again would use up the SEC's rate limit.
 */
import { LRUCache } from 'lru-cache';
import { orAborted } from 'holdfast/tools';

interface Running<T> {
  result: Promise<T>;
  stop: AbortController;
  waiting: number;
}

export class SharedCache<T extends object> {
  private readonly values: LRUCache<string, T>;
  private readonly running = new Map<string, Running<T>>();

  /** @param limits `max` entries, each for at most `ttl` ms (absent: until it is the least recently used) */
  constructor(limits: { max: number; ttl?: number }) {
    this.values = new LRUCache(limits);
  }

  /** @throws what `load` throws, which is not cached; the signal's reason */
  async get(key: string, load: (signal: AbortSignal) => Promise<T>, signal?: AbortSignal): Promise<T> {
    signal?.throwIfAborted();
    const value = this.values.get(key);
    if (value !== undefined) return value;
    const work = this.running.get(key) ?? this.start(key, load);
    work.waiting += 1;
    try {
      return await orAborted(work.result, signal);
    } finally {
      work.waiting -= 1;
      if (work.waiting === 0) this.end(key, work);
    }
  }

  private start(key: string, load: (signal: AbortSignal) => Promise<T>): Running<T> {
    const stop = new AbortController();
    const result = load(stop.signal).then((value) => {
      this.values.set(key, value);
      return value;
    });
    result.catch(() => undefined); // callers that still wait get the error
    const work = { result, stop, waiting: 0 };
    this.running.set(key, work);
    return work;
  }

  private end(key: string, work: Running<T>): void {
    work.stop.abort();
    if (this.running.get(key) === work) this.running.delete(key);
  }
}
