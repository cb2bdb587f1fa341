/**
 * Signal payloads, decoded with care. A payload that the SDK's converter cannot read would fail the
 * workflow task again and again; so every payload stays raw until it is read here, and what can't be
 * read is an answer, never an exception.
 */
import { rawValueTypeInfo, type RawValue, type TypeInfo } from '@temporalio/common';
import type { Json } from '../shared/json';
import { parseJson } from '../shared/parse-json';

const MAX_BYTES = 64 * 1024;

/** Raw for the first payload, and for every further one: a bad second payload wedges too. */
export const rawPayloads: readonly TypeInfo[] = new Proxy([], { get: () => rawValueTypeInfo });

export type Decoded = { ok: true; value: Json } | { ok: false; reason: string };

export function decodePayload(raw: unknown): Decoded {
  try {
    const payload = (raw as RawValue | undefined)?.payload;
    if (!payload) return bad('it carries no payload');
    const encoding = text(payload.metadata?.encoding);
    if (encoding !== 'json/plain') return bad(`its encoding is ${JSON.stringify(encoding.slice(0, 40))}, not json/plain`);
    const data = payload.data ?? new Uint8Array();
    if (data.length > MAX_BYTES) return bad(`it has ${data.length} bytes; ${MAX_BYTES} are allowed`);
    return { ok: true, value: parseJson(text(data)) };
  } catch (error) {
    return bad(`it is not JSON: ${error instanceof Error ? error.message.slice(0, 200) : 'unreadable'}`);
  }
}

function text(bytes: Uint8Array | null | undefined): string {
  return new TextDecoder('utf-8', { fatal: true }).decode(bytes ?? new Uint8Array());
}

function bad(reason: string): Decoded {
  return { ok: false, reason };
}
