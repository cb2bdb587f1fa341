/** Decodes the payload of a signal. An unreadable payload gives a reason, never an exception. */
import type { Json } from '../json/json';
import { parseJson } from '../json/parse-json';

/** In the form that Temporal uses. */
interface Payload {
  metadata?: { [key: string]: Uint8Array } | null;
  data?: Uint8Array | null;
}

const MAX_BYTES = 64 * 1024;

export type DecodeResult = { ok: true; value: Json } | { ok: false; reason: string };

export function decodePayload(payload: Payload | undefined): DecodeResult {
  try {
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

function bad(reason: string): DecodeResult {
  return { ok: false, reason };
}
