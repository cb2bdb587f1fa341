/**
 * In-memory cache for results of read tools, within each tool's TTL, and sharing of identical calls that run at the same time.
 * Entries and bytes are bounded; failures are never cached. An entry is JSON text, so that no caller can change another's copy.
 */
import { LRUCache } from 'lru-cache';
import { hashJson, inputDigest } from '../../shared/json/digests';
import type { TurnContext } from '../../shared/io/turn';
import type { EnvelopeMetadata } from '../../shared/wire/errors';
import type { Json, JsonObject } from '../../shared/json/json';
import type { Target } from '../admit/policy';
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
  /** Largest result that is cached, bytes. Default 2 MB. */
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
    const remainingMs = entry ? entry.cachedAt + (tool.cacheTtlMs ?? 0) - Date.now() : 0;
    if (!entry || remainingMs <= 0) return undefined;
    const cache = { hit: true, cached_at: new Date(entry.cachedAt).toISOString(), ttl_remaining: Math.ceil(remainingMs / 1000) };
    return { data: JSON.parse(entry.text) as Json, cache };
  }

  set(tool: Tool, key: string, data: Json): void {
    const text = JSON.stringify(data);
    const size = Math.max(1, Buffer.byteLength(text));
    this.entries.set(key, { text, cachedAt: Date.now() }, { ttl: tool.cacheTtlMs ?? 0, size });
  }
}

/**
 * The cache key of a call: its requester and agent, the tool with its version and target, and the input fields that the result
 * depends on (a missing field counts as missing). Null: the result may not be cached.
 */
export function cacheKey(
  tool: Tool,
  input: JsonObject,
  { requester, agent }: Pick<TurnContext, 'requester' | 'agent'>,
  target: Target,
): string | null {
  if (tool.class !== 'read' || !(tool.cacheTtlMs !== undefined && tool.cacheTtlMs > 0)) return null;
  if (!target.ok) return null;
  const { name, version, cacheKeyParams } = tool;
  const params = cacheKeyParams?.filter((param) => Object.hasOwn(input, param));
  const relevant = params ? Object.fromEntries(params.map((param) => [param, input[param]!])) : input;
  const digest = inputDigest({ tool: name, version, input: relevant });
  return hashJson({ requester, agent, target: target.target, input: digest });
}

/** Runs work for one key only once at a time: all callers that ask meanwhile get its outcome. */
export class SingleFlight<T> {
  private readonly running = new Map<string, Promise<{ value: T } | null>>();

  /**
   * `shared`: the value comes from another caller's work. If that work throws (cancelled, or returned for a later try), only its
   * own caller gets the error; the others then run their own work.
   * @param signal ends this caller's wait, not the work that others wait for
   * @throws errors of `work`; the signal's reason
   */
  async run(key: string, work: () => Promise<T>, signal?: AbortSignal): Promise<{ value: T; isShared: boolean }> {
    for (;;) {
      const running = this.running.get(key);
      if (!running) return { value: await this.lead(key, work), isShared: false };
      const outcome = await orAborted(running, signal);
      if (outcome) return { value: outcome.value, isShared: true };
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

/** Waits for shared work. The signal ends only this wait, not the work. @throws the signal's reason */
export async function orAborted<T>(promise: Promise<T>, signal?: AbortSignal): Promise<T> {
  if (!signal) return promise;
  signal.throwIfAborted();
  let abort = () => {};
  const rejection = new Promise<never>((_resolve, reject) => {
    abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
  });
  try {
    return await Promise.race([promise, rejection]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
