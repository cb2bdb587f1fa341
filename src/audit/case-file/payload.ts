/** What a payload of Temporal's history carries (docs/bundle-format.md). */
import { isJsonObject, type Json } from '../../shared/json';
import { parseJson } from '../../shared/parse-json';
import { list, object, text } from './loose';

/** `undefined`: there is none, or it cannot be read; `LEFT_OUT`: redaction has taken it out. */
export const LEFT_OUT = Symbol('left out');
export type Carried = Json | undefined | typeof LEFT_OUT;

/** The first value of `{payloads: […]}`. */
export function carried(payloads: Json | undefined): Carried {
  const [payload] = list(object(payloads).payloads);
  if (!isJsonObject(payload)) return undefined;
  if (payload.redacted === true) return LEFT_OUT;
  if (Buffer.from(text(object(payload.metadata).encoding), 'base64').toString('utf8') === 'binary/null') return null;
  try {
    return parseJson(Buffer.from(text(payload.data), 'base64').toString('utf8'));
  } catch {
    return undefined;
  }
}

/** The value as JSON; null where there is none or it was left out. */
export function known(value: Carried): Json {
  return value === undefined || value === LEFT_OUT ? null : value;
}
