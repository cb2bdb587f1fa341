/** Converts a tool's return value to JSON, and reports values that JSON would lose. */
import { types } from 'node:util';
import { canonical, CanonicalError } from '../../shared/json/canonical';
import type { Json } from '../../shared/json/json';

export type AsJson = { ok: true; data: Json } | { ok: false; message: string };

/**
 * Converts a tool's return value to JSON that can be hashed. Lone surrogates become U+FFFD. Integers beyond ±(2^53−1) become
 * strings: doubles do not hold them exactly, and RFC 8785 readers disagree about them. Undefined fields are left out. A value
 * that JSON does not have (a Map, a promise, NaN, a function) is a fault that names its place.
 * @param exchange gets each value first, and returns the value to convert instead
 */
export function toJson(value: unknown, exchange: (item: unknown) => unknown = (item) => item): AsJson {
  const places = new WeakMap<object, string>();
  function written(this: unknown, key: string, value: unknown): unknown {
    const item = exchange(value);
    const place = placeOf(this, key, places);
    const loss = describeLoss(item) ?? lostByItsOwnHand((this as Record<string, unknown>)[key]);
    if (loss !== null) throw new TypeError(`${place === '' ? 'it' : place} is ${loss}`);
    if (typeof item === 'string') return item.toWellFormed();
    if (typeof item === 'bigint') return item.toString();
    if (typeof item === 'object' && item !== null) places.set(item, place);
    return Number.isInteger(item) && !Number.isSafeInteger(item) ? BigInt(item as number).toString() : item;
  }
  try {
    const data = JSON.parse(JSON.stringify(value ?? null, written)) as Json;
    canonical(data);
    return { ok: true, data };
  } catch (error) {
    if (error instanceof CanonicalError || error instanceof TypeError || error instanceof RangeError)
      return { ok: false, message: error.message };
    throw error;
  }
}

/** The place of a value, as written in code: `rows[3].total`. Parents are visited before their children. */
function placeOf(holder: unknown, key: string, places: WeakMap<object, string>): string {
  const above = places.get(holder as object);
  if (above === undefined) return ''; // the whole value, which JSON.stringify puts under an empty key
  if (Array.isArray(holder)) return `${above}[${key}]`;
  const name = key.length > 100 ? `${key.slice(0, 100).toWellFormed()}…` : key;
  return above === '' ? name : `${above}.${name}`;
}

/** Finds values whose own `toJSON` hides the loss: Buffers and invalid dates. */
function lostByItsOwnHand(original: unknown): string | null {
  if (Buffer.isBuffer(original)) return BYTES;
  return types.isDate(original) && Number.isNaN(original.getTime()) ? 'an invalid date' : null;
}

const BYTES = 'bytes: return binaryFile(…), or base64 text';

/** Describes what JSON would drop or change silently; null: nothing. */
function describeLoss(item: unknown): string | null {
  if (typeof item === 'number') return Number.isFinite(item) ? null : `${item}, which JSON has no number for`;
  if (typeof item === 'function') return 'a function';
  if (typeof item === 'symbol') return 'a symbol';
  if (typeof item !== 'object' || item === null) return null;
  if (types.isNumberObject(item)) return describeLoss(Number(item));
  if (types.isPromise(item)) return 'a promise: await it';
  if (types.isMap(item)) return 'a Map: return Object.fromEntries(map)';
  if (types.isSet(item)) return 'a Set: return [...set]';
  if (types.isWeakMap(item) || types.isWeakSet(item)) return 'a WeakMap or WeakSet';
  if (types.isNativeError(item)) return 'an Error: throw it, or return its message';
  if (types.isRegExp(item)) return 'a regular expression: return its source';
  if (types.isAnyArrayBuffer(item) || ArrayBuffer.isView(item)) return BYTES;
  if (types.isGeneratorObject(item)) return 'a generator';
  return lostAsEmpty(item);
}

/** Finds objects that JSON turns into `{}` because their content is not in fields: a Response, headers, private fields. */
function lostAsEmpty(item: object): string | null {
  if (Array.isArray(item) || types.isBoxedPrimitive(item) || Object.keys(item).length > 0) return null;
  if (isPlain(item))
    return Object.getOwnPropertySymbols(item).length > 0 ? 'an object whose fields all have symbols for names' : null;
  return `an object of class ${nameOfClass(item)}, of which JSON would keep nothing: return what you want of it`;
}

/** True for an object made by `{}` in any realm, or without a prototype. */
function isPlain(item: object): boolean {
  const prototype = Object.getPrototypeOf(item) as object | null;
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function nameOfClass(item: object): string {
  const name = Object.prototype.toString.call(item).slice('[object '.length, -1);
  const { constructor } = item as { constructor?: { name?: unknown } };
  const className = name === 'Object' && typeof constructor?.name === 'string' ? constructor.name : name;
  return className.slice(0, 100).toWellFormed();
}
