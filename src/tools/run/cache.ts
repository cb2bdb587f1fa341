/**
 * Results of reads, served again within the tool's TTL. In memory, bounded in entries and bytes; failures are never
 * kept. An entry is a text, so that what a caller does to its copy cannot reach the next one.
 */
import { LRUCache } from 'lru-cache';
import { hashJson, inputDigest } from '../../store/core/seal';
import type { EnvelopeMetadata } from '../../shared/wire/errors';
import type { Json, JsonObject } from '../../shared/json/json';
import type { Tool } from '../define/tool';

interface Entry {
  text: string;
  cachedAt: number;
}

export interface CacheBounds {
  /** Default 1000. */
  entries?: number;
  /** All results together, bytes of JSON. Default 64 MB. */
  bytes?: number;
  /** A larger result is not kept, bytes. Default 2 MB. */
  entryBytes?: number;
}

export class ResultCache {
  private readonly entries: LRUCache<string, Entry>;

  constructor({ entries = 1000, bytes = 64_000_000, entryBytes = 2_000_000 }: CacheBounds = {}) {
    this.entries = new LRUCache({ max: entries, maxSize: bytes, maxEntrySize: entryBytes });
  }

  /** @param key by {@link cacheKey} */
  get(tool: Tool, key: string): { data: Json; cache: EnvelopeMetadata['cache'] } | undefined {
    const entry = this.entries.get(key);
    const left = entry ? entry.cachedAt + (tool.cacheTtlMs ?? 0) - Date.now() : 0;
    if (!entry || left <= 0) return undefined;
    const cache = { hit: true, cached_at: new Date(entry.cachedAt).toISOString(), ttl_remaining: Math.ceil(left / 1000) };
    return { data: JSON.parse(entry.text) as Json, cache };
  }

  set(tool: Tool, key: string, data: Json): void {
    const text = JSON.stringify(data);
    const size = Math.max(1, Buffer.byteLength(text));
    this.entries.set(key, { text, cachedAt: Date.now() }, { ttl: tool.cacheTtlMs ?? 0, size });
  }
}

/**
 * What makes two calls the same read: who asks, which tool in which version, and the input fields that its result
 * depends on (absent ones count as absent). Null: the results of this tool may not be served again.
 */
export function cacheKey(tool: Tool, input: JsonObject, principal: string): string | null {
  if (tool.class !== 'read' || !(tool.cacheTtlMs !== undefined && tool.cacheTtlMs > 0)) return null;
  const { name, version, cacheKeyParams } = tool;
  const params = cacheKeyParams?.filter((param) => Object.hasOwn(input, param));
  const relevant = params ? Object.fromEntries(params.map((param) => [param, input[param]!])) : input;
  return hashJson({ principal, input: inputDigest({ tool: name, version, input: relevant }) });
}

/** Work that several ask for at once under one key runs once; all of them get its outcome. */
export class SingleFlight<T> {
  private readonly running = new Map<string, Promise<{ value: T } | null>>();

  /**
   * `shared`: another caller's work gave the value. Work that throws (a cancellation, a call that is given back to be
   * tried later) is that caller's own affair: the others then run theirs.
   * @param signal ends this caller's waiting, not the work that others wait for
   * @throws what `work` throws; the signal's reason
   */
  async run(key: string, work: () => Promise<T>, signal?: AbortSignal): Promise<{ value: T; shared: boolean }> {
    for (;;) {
      const running = this.running.get(key);
      if (!running) return { value: await this.lead(key, work), shared: false };
      const outcome = await orAborted(running, signal);
      if (outcome) return { value: outcome.value, shared: true };
    }
  }

  private lead(key: string, work: () => Promise<T>): Promise<T> {
    const mine = work().finally(() => this.running.delete(key));
    this.running.set(
      key,
      mine.then(
        (value) => ({ value }),
        () => null,
      ),
    );
    return mine;
  }
}

/** Waits for shared work: the signal ends this one's waiting, not the work. @throws the signal's reason */
export async function orAborted<T>(promise: Promise<T>, signal?: AbortSignal): Promise<T> {
  if (!signal) return promise;
  signal.throwIfAborted();
  let abort = () => {};
  const aborted = new Promise<never>((_resolve, reject) => {
    abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
