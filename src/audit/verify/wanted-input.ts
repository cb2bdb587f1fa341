/** Checks whether an input is the one that was asked for. */
import { isJsonObject, type Json } from '../../shared/json/json';
import { parseJson } from '../../shared/json/parse-json';
import { attempt, hashOf } from './values';

/** The JSON that a caller wrote; undefined: it is not strict JSON. */
export function jsonOf(json: Json | undefined): Json | undefined {
  if (typeof json !== 'string') return undefined;
  return json.trim() === '' ? {} : (attempt(() => parseJson(json)) ?? undefined);
}

/** Whether `value` is the request, except for fields that a schema added. */
export function contains(value: Json | undefined, request: Json): boolean {
  if (Array.isArray(request))
    return Array.isArray(value) && value.length === request.length && request.every((one, index) => contains(value[index], one));
  if (!isJsonObject(request)) return hashOf(value) === hashOf(request);
  return isJsonObject(value) && Object.entries(request).every(([field, one]) => contains(value[field], one));
}
