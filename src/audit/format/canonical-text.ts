/** Whether a text is canonical JSON, fast: what the engine's own JSON gives back unchanged has only order, numbers and depth left to look at. */
import { canonical } from '../../shared/json/canonical';
import { type Json, isUnsafeInteger, MAX_JSON_DEPTH } from '../../shared/json/json';
import { parseJson } from '../../shared/json/parse-json';

/**
 * The value of a canonical text.
 * @throws Error that says why the text is none
 */
export function parseCanonical(text: string): Json {
  return fast(text) ?? slow(text);
}

/** Null: it has to be looked at more closely. Half a surrogate pair can only stand here as an escape. */
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
