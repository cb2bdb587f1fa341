/** Removes from events of Temporal's history the payloads and texts that hold redacted content. */
import { isJsonObject, type Json, type JsonObject } from '../../shared/json/json';
import { parseJson } from '../../shared/json/parse-json';

export const REDACTED_PAYLOAD: JsonObject = { redacted: true };
export const REDACTED_TEXT = '(redacted)';

/** Fields of an event, outside payloads, whose text may hold content: failures, cancellations and terminations. */
const TEXTS = new Set(['message', 'stackTrace', 'cause', 'reason']);

/** @param secret whether a payload's value, or a text, is removed; it gets undefined for an unreadable payload */
export function redactEvent(
  event: JsonObject,
  secret: (value: Json | undefined) => boolean,
): { event: JsonObject; payloads: number } {
  let payloads = 0;
  const walk = (value: Json, key: string): Json => {
    if (Array.isArray(value)) return value.map((item) => walk(item, key));
    if (typeof value === 'string') return TEXTS.has(key) && secret(value) ? REDACTED_TEXT : value;
    if (!isJsonObject(value)) return value;
    if (isPayload(value)) return secret(payloadValue(value)) ? out() : value;
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, walk(item, name)]));
  };
  const out = () => {
    payloads += 1;
    return REDACTED_PAYLOAD;
  };
  return { event: walk(event, '') as JsonObject, payloads };
}

function isPayload(value: JsonObject): boolean {
  const { metadata } = value;
  return isJsonObject(metadata ?? null) && typeof (metadata as JsonObject).encoding === 'string';
}

/** Undefined: the payload is no JSON, so its content is unknown. */
function payloadValue({ metadata, data = '' }: JsonObject): Json | undefined {
  const encoding = Buffer.from(String((metadata as JsonObject).encoding), 'base64').toString('utf8');
  if (encoding === 'binary/null') return null;
  if (!encoding.startsWith('json/') || typeof data !== 'string') return undefined;
  try {
    return parseJson(Buffer.from(data, 'base64').toString('utf8'));
  } catch {
    return undefined;
  }
}
