/** What a payload of Temporal's history carries (docs/bundle-format.md). */
import { isJsonObject, type Json, type JsonObject } from '../../shared/json/json';
import { parseJson } from '../../shared/json/parse-json';
import { list, object, text } from '../../record/fields';

/** `undefined`: there is none, or it cannot be read; `LEFT_OUT`: redaction has taken it out. */
export const LEFT_OUT = Symbol('left out');
export type DecodedPayload = Json | undefined | typeof LEFT_OUT;

/** The first value of `{payloads: […]}`. */
export function readFirstPayload(payloads: Json | undefined): DecodedPayload {
  const [payload] = list(object(payloads).payloads);
  if (!isJsonObject(payload)) return undefined;
  return payload.redacted === true ? LEFT_OUT : payloadValue(payload);
}

/** The JSON value of one payload; undefined: it cannot be read. */
export function payloadValue(payload: JsonObject): Json | undefined {
  if (decodeBase64(object(payload.metadata).encoding)?.equals(NULL_ENCODING)) return null;
  const data = decodeBase64(payload.data);
  try {
    return data === null ? undefined : parseJson(UTF8.decode(data));
  } catch {
    return undefined;
  }
}

const NULL_ENCODING = Buffer.from('binary/null');
const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Null for what is not base64 in its one spelling. */
function decodeBase64(value: Json | undefined): Buffer | null {
  const bytes = Buffer.from(text(value), 'base64');
  return bytes.toString('base64') === text(value) ? bytes : null;
}

/** The value as JSON; null where there is none or it was left out. */
export function jsonOrNull(value: DecodedPayload): Json {
  return value === undefined || value === LEFT_OUT ? null : value;
}
