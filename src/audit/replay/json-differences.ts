/** Finds the places where two JSON values differ. */
import { isJsonObject, type Json } from '../../shared/json/json';

export interface Place {
  /** `call.input.cents`, `calls.0.id`; empty: the value itself. */
  path: string;
  /** Undefined: the place does not exist. */
  recorded: Json | undefined;
  now: Json | undefined;
}

/** The first places that differ, at most `most`. Values deeper than 200 levels are compared as a whole. */
export function findDifferences(recordedValue: Json | undefined, now: Json | undefined, most: number): Place[] {
  const places: Place[] = [];
  look(recordedValue, now, '', 0);
  return places;

  function look(a: Json | undefined, b: Json | undefined, path: string, depth: number): void {
    if (places.length >= most || a === b) return;
    const keys = depth < 200 ? keysOf(a, b) : null;
    if (keys === null) {
      if (JSON.stringify(a) !== JSON.stringify(b)) places.push({ path, recorded: a, now: b });
      return;
    }
    for (const key of keys) look(at(a, key), at(b, key), path === '' ? key : `${path}.${key}`, depth + 1);
  }
}

/** Null: they are not both lists or both objects. */
function keysOf(a: Json | undefined, b: Json | undefined): string[] | null {
  if (Array.isArray(a) && Array.isArray(b))
    return Array.from({ length: Math.max(a.length, b.length) }, (_, index) => String(index));
  if (a !== undefined && b !== undefined && isJsonObject(a) && isJsonObject(b))
    return [...new Set([...Object.keys(a), ...Object.keys(b)])];
  return null;
}

function at(value: Json | undefined, key: string): Json | undefined {
  return Object.hasOwn(value as object, key) ? (value as Record<string, Json>)[key] : undefined;
}
