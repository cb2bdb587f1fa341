/** Finds the fields that differ between two inputs. */
import { canonical } from '../../shared/json/canonical';
import { isJsonObject, type Json, type JsonObject } from '../../shared/json/json';
import { parseJson } from '../../shared/json/parse-json';
import type { CallCase } from '../case-file';
import { name } from './format-values';

export interface FieldChange {
  field: string;
  before: string;
  after: string;
}

const LONGEST = 400;

export function diffFields(before: JsonObject | null, after: JsonObject | null): FieldChange[] {
  if (before === null || after === null) return [];
  const fields = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  return fields
    .filter((field) => text(before, field, Infinity) !== text(after, field, Infinity))
    .map((field) => ({ field: name(field), before: text(before, field, LONGEST), after: text(after, field, LONGEST) }));
}

/** The input of the revision before; for the first revision, the input that the model wrote. */
export function inputBefore(call: CallCase, all: readonly CallCase[]): JsonObject | null {
  const earlier = all.findLast(
    ({ id, revision, takenBack }) => id === call.id && revision < call.revision && takenBack === call.takenBack,
  );
  return earlier ? earlier.input : modelsInput(call);
}

/** The input as the model wrote it; null: it is no JSON object. */
export function modelsInput({ askedInput }: CallCase): JsonObject | null {
  if (askedInput === null) return null;
  try {
    const value = parseJson(askedInput);
    return isJsonObject(value) ? value : null;
  } catch {
    return null;
  }
}

function text(of: JsonObject, field: string, most: number): string {
  if (!Object.hasOwn(of, field)) return 'nothing';
  const value: Json = of[field] ?? null;
  const valueText = most === Infinity ? canonical(value) : typeof value === 'string' ? value : JSON.stringify(value);
  return valueText.length <= most ? valueText : `${valueText.slice(0, most).toWellFormed()}… (${valueText.length} characters)`;
}
