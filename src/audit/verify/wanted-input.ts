/** Checks whether an input is the one that was asked for. */
import { isJsonObject, type Json } from '../../shared/json/json';
import { parseJson } from '../../shared/json/parse-json';
import { attempt, hashOf } from './values';

/** The JSON that a caller wrote; undefined: it is not strict JSON. */
export function jsonOf(asked: Json | undefined): Json | undefined {
  if (typeof asked !== 'string') return undefined;
  return asked.trim() === '' ? {} : (attempt(() => parseJson(asked)) ?? undefined);
}

/** Whether `value` is `wanted`, except for fields that a schema added. */
export function contains(value: Json | undefined, wanted: Json): boolean {
  if (Array.isArray(wanted))
    return Array.isArray(value) && value.length === wanted.length && wanted.every((one, index) => contains(value[index], one));
  if (!isJsonObject(wanted)) return hashOf(value) === hashOf(wanted);
  return isJsonObject(value) && Object.entries(wanted).every(([field, one]) => contains(value[field], one));
}
