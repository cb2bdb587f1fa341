/**
 * Parses a text and checks that it is canonical JSON. Fast path: if `JSON.stringify` gives the parsed text back unchanged, only the
 * order of keys, numbers and depth are left to check.
 */
import { canonical } from '../../shared/json/canonical';
import { type Json, isUnsafeInteger, MAX_JSON_DEPTH } from '../../shared/json/json';
import { parseJson } from '../../shared/json/parse-json';

/**
 * The value of a canonical text.
 * @throws Error that says why the text is not canonical
 */
export function parseCanonical(text: string): Json {
  return fast(text) ?? slow(text);
}

/** Null: the slow path has to check the text. Half a surrogate pair can only occur in it as an escape. */
function fast(text: string): Json {
  if (text.includes('\\ud')) return null;
  try {
    const value = JSON.parse(text) as Json;
    return isOrdered(value, 0) && JSON.stringify(value) === text ? value : null;
  } catch {
    return null;
  }
}

function slow(text: string): Json {
  const value = parseJson(text);
  if (canonical(value) !== text) throw new Error('it is not in canonical form');
  return value;
}

function isOrdered(value: Json, depth: number): boolean {
  if (typeof value === 'number') return !isUnsafeInteger(value);
  if (typeof value !== 'object' || value === null) return true;
  if (depth >= MAX_JSON_DEPTH) return false;
  if (Array.isArray(value)) return value.every((item) => isOrdered(item, depth + 1));
  let before: string | null = null;
  for (const key in value) {
    if (before !== null && key <= before) return false;
    if (!isOrdered(value[key]!, depth + 1)) return false;
    before = key;
  }
  return true;
}
