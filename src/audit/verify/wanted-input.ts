/** Whether an input is the one that somebody wanted. */
import { isJsonObject, type Json } from '../../shared/json/json';
import { parseJson } from '../../shared/json/parse-json';
import { attempt, hashOf } from './values';

/** What a caller wrote; undefined: it has no one meaning. */
export function jsonOf(asked: Json | undefined): Json | undefined {
  if (typeof asked !== 'string') return undefined;
  return asked.trim() === '' ? {} : (attempt(() => parseJson(asked)) ?? undefined);
}

/** Whether it is the same but for fields that a schema has added. */
export function contains(value: Json | undefined, wanted: Json): boolean {
  if (Array.isArray(wanted))
    return Array.isArray(value) && value.length === wanted.length && wanted.every((one, index) => contains(value[index], one));
  if (!isJsonObject(wanted)) return hashOf(value) === hashOf(wanted);
  return isJsonObject(value) && Object.entries(wanted).every(([field, one]) => contains(value[field], one));
}
