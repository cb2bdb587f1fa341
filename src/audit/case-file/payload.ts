/** Decodes the payloads of Temporal's history (docs/bundle-format.md). */
import { isJsonObject, type Json, type JsonObject } from '../../shared/json/json';
import { parseJson } from '../../shared/json/parse-json';
import { list, object, text } from '../../record/fields';

/** `undefined`: no payload, or an unreadable one. `LEFT_OUT`: redaction removed the payload. */
export const LEFT_OUT = Symbol('left out');
export type DecodedPayload = Json | undefined | typeof LEFT_OUT;

/** The first value of `{payloads: […]}`. */
export function readFirstPayload(payloads: Json | undefined): DecodedPayload {
  return readFirst(list(object(payloads).payloads));
}

/** The first value of a list of payloads. */
export function readFirst([payload]: readonly Json[]): DecodedPayload {
  if (!isJsonObject(payload)) return undefined;
  return isLeftOut(payload) ? LEFT_OUT : payloadValue(payload);
}

/** Whether redaction left a payload out: then it is exactly `{"redacted":true}`, and the trailer counts it. */
export function isLeftOut(payload: Json | undefined): boolean {
  return isJsonObject(payload ?? null) && object(payload).redacted === true && Object.keys(object(payload)).length === 1;
}

/** Number of payloads that were left out, anywhere in it. */
export function leftOutIn(value: Json): number {
  if (typeof value !== 'object' || value === null) return 0;
  if (isLeftOut(value)) return 1;
  return Object.values(value).reduce<number>((sum, item) => sum + leftOutIn(item as Json), 0);
}

/** The JSON value of one payload; undefined: the payload cannot be read. */
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

/** Null: the text is no base64, or not in canonical form. */
function decodeBase64(value: Json | undefined): Buffer | null {
  const bytes = Buffer.from(text(value), 'base64');
  return bytes.toString('base64') === text(value) ? bytes : null;
}

/** The value as JSON; null: there is none, or it was left out. */
export function jsonOrNull(value: DecodedPayload): Json {
  return value === undefined || value === LEFT_OUT ? null : value;
}
