/**
 * A call under its digest, as lines of an object: the canonical record, whose SHA-256 is the digest, then the input and the
 * target, whose hashes stand in the record. The calls of a step share a file, so the lines of others may stand around them.
 */
import { canonical } from '../../shared/json/canonical';
import type { CallRecord } from '../../shared/json/digests';
import { isJsonObject, type Json, type JsonObject } from '../../shared/json/json';
import { parseJson } from '../../shared/json/parse-json';
import type { AdmittedRecord } from '../store';
import { sha256 } from './seal';

export function callLines({ record, input, target }: AdmittedRecord): { digest: string; lines: string[] } {
  const text = canonical({ ...record });
  return { digest: sha256(text), lines: [text, canonical({ input, target })] };
}

/** @throws Error that says what is wrong with the lines */
export function readCall(digest: string, lines: string[]): AdmittedRecord {
  const at = lines.findIndex((line) => sha256(line) === digest);
  const details = lines[at + 1];
  if (at < 0 || details === undefined) throw new Error(`${digest} is missing`);
  const record = parseJson(lines[at]!);
  if (!isJsonObject(record) || record.v !== 'holdfast.call/2') throw new Error('it is no call (v: "holdfast.call/2")');
  const { input, target } = fieldsOf(parseJson(details));
  if (!isJsonObject(input) || hash(input) !== record.input_hash) throw new Error('its input is another than the record names');
  if ((target === null ? null : hash(target)) !== record.target_hash)
    throw new Error('its target is another than the record names');
  return { record: record as CallRecord, input, target };
}

function fieldsOf(details: Json): { input: Json | undefined; target: JsonObject | null } {
  const { input, target } = isJsonObject(details) ? details : {};
  return { input, target: isJsonObject(target) ? target : null };
}

function hash(value: Json): string {
  return sha256(canonical(value));
}

/** Makes a value and all that is in it unchangeable: several readers share it. Returns the value. */
export function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    Object.values(value).forEach(deepFreeze);
  }
  return value;
}
