/** Copies values from other programs into plain JSON of bounded size, before other code reads them. */
import { type Json, type JsonObject, setOwn } from '../../shared/json/json';
import { ConversionError } from './conversion';

export interface JsonBounds {
  /** Nesting of arrays and objects. */
  depth: number;
  /** Arrays, objects and scalars. */
  values: number;
  /** Characters of all keys and strings. */
  characters: number;
  /** What to do with a key `__proto__`: no definition needs one; data may keep it, as a plain property. */
  proto: 'refuse' | 'keep';
}

/** For a tool's definition: several times what real ones need. */
export const DEFINITION_BOUNDS: JsonBounds = { depth: 64, values: 20_000, characters: 256 * 1024, proto: 'refuse' };
export const RESULT_BOUNDS: JsonBounds = { depth: 100, values: 200_000, characters: 8 * 1024 * 1024, proto: 'keep' };

/**
 * Makes a deep copy that contains only JSON. Undefined properties are left out.
 * @throws ConversionError when the value is too large, or contains something that is not JSON or a key that is refused
 */
export function plainJson(value: unknown, bounds: JsonBounds, what: string): Json {
  let values = 0;
  let characters = 0;
  const refuse = (why: string): never => {
    throw new ConversionError(`${what} ${why}`);
  };
  const count = (text: string): string => {
    characters += text.length;
    if (characters > bounds.characters) refuse(`is larger than ${bounds.characters} characters: make it smaller.`);
    return text;
  };
  const copy = (each: unknown, depth: number): Json => {
    if (++values > bounds.values) refuse(`holds more than ${bounds.values} values: make it smaller.`);
    if (depth > bounds.depth) refuse(`is nested deeper than ${bounds.depth}, or holds itself: flatten it.`);
    if (each === null || typeof each === 'boolean') return each;
    if (typeof each === 'string') return count(each);
    if (typeof each === 'number') return Number.isFinite(each) ? each : refuse(`holds the number ${each}, which JSON lacks.`);
    if (Array.isArray(each)) return each.map((item) => copy(item, depth + 1));
    if (typeof each !== 'object') return refuse(`holds a ${typeof each}, which JSON lacks.`);
    const out: JsonObject = {};
    for (const [key, item] of Object.entries(each)) {
      if (key === '__proto__' && bounds.proto === 'refuse') refuse('has a key "__proto__": rename it.');
      if (item !== undefined) setOwn(out, count(key), copy(item, depth + 1));
    }
    return out;
  };
  return copy(value, 0);
}
