/** Results of reads, served again within the tool's TTL. In memory, bounded; failures are never kept. */
import { LRUCache } from 'lru-cache';
import type { Json, JsonObject } from '../shared/json';
import { hashJson, inputDigest } from '../shared/digests';
import type { EnvelopeMetadata } from '../shared/envelope';
import type { Tool } from './define';

interface Entry {
  data: Json;
  cachedAt: number;
}

export class ResultCache {
  private readonly entries: LRUCache<string, Entry>;

  constructor(max = 1000) {
    this.entries = new LRUCache({ max, ttl: 60_000 });
  }

  /** A principal never sees what another one fetched. */
  get(tool: Tool, input: JsonObject, principal: string): { data: Json; cache: EnvelopeMetadata['cache'] } | undefined {
    if (tool.cacheTtlMs === undefined) return undefined;
    const entry = this.entries.get(key(tool, input, principal));
    if (!entry) return undefined;
    const left = entry.cachedAt + tool.cacheTtlMs - Date.now();
    return {
      data: entry.data,
      cache: { hit: true, cached_at: new Date(entry.cachedAt).toISOString(), ttl_remaining: Math.max(0, Math.ceil(left / 1000)) },
    };
  }

  set(tool: Tool, input: JsonObject, principal: string, data: Json): void {
    if (tool.cacheTtlMs === undefined) return;
    this.entries.set(key(tool, input, principal), { data, cachedAt: Date.now() }, { ttl: tool.cacheTtlMs });
  }
}

function key(tool: Tool, input: JsonObject, principal: string): string {
  return hashJson({ principal, input: inputDigest({ tool: tool.name, version: tool.version, input }) });
}
