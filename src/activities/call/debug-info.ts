/** `debug_info`, for a call that asks for it, where the worker allows it. Secrets are taken out as they are from logs. */
import { hostname } from 'node:os';
import type { CallOptions } from '../../shared/activity-io';
import type { Envelope } from '../../shared/wire/envelope';
import type { Json, JsonObject } from '../../shared/json/json';
import { redactedValue } from '../../telemetry/redact';
import { toJson } from '../../tools/results/to-json';

/** Notes beyond this many bytes of JSON are left out. */
const MOST_BYTES = 32_000;

/**
 * The envelope as it was asked for.
 * @param allowed setting HOLDFAST_DEBUG_INFO of this worker
 * @param attempts how often the tool's function has been begun for this call
 */
export function debugged(
  envelope: Envelope,
  {
    options,
    allowed,
    attempts,
    notes,
  }: { options: CallOptions | undefined; allowed: boolean; attempts: number; notes: JsonObject[] },
): Envelope {
  if (options?.debug !== true) return envelope;
  const { metadata } = envelope;
  if (!allowed) return { ...envelope, metadata: { ...metadata, debug: 'not_allowed' } };
  const debug_info = {
    cache_hit: metadata.cache.hit,
    retry_count: Math.max(0, attempts - 1),
    execution_time_ms: metadata.execution_time_ms,
    attempts,
    worker: `${process.pid}@${hostname()}`,
    notes: shown(notes),
  };
  return { ...envelope, debug_info };
}

function shown(notes: JsonObject[]): Json[] {
  const out: Json[] = [];
  let left = MOST_BYTES;
  for (const note of notes) {
    const json = toJson(redactedValue(note));
    const text: Json = json.ok ? json.data : { unreadable: json.message };
    left -= Buffer.byteLength(JSON.stringify(text));
    if (left < 0) return [...out, { cut: `${notes.length - out.length} more notes` }];
    out.push(text);
  }
  return out;
}
