/**
 * Writes a JSON value in its canonical form, RFC 8785 (JCS), so that two parties who hash the same value get the same hash. Keys
 * sort by UTF-16 code units, numbers are written as ECMAScript writes them, nothing is normalised. A value without an exact meaning
 * is refused, never repaired: a hash over a silently changed value would prove the wrong thing.
 */
import { type Json, hasLoneSurrogate, isUnsafeInteger, MAX_JSON_DEPTH } from './json';

type Path = (string | number)[];

/** A value that has no canonical form. */
export class CanonicalError extends Error {
  override readonly name = 'CanonicalError';
  constructor(
    /** JSON Pointer (RFC 6901) of the offending value; empty for the root. */
    readonly path: string,
    /** What is wrong there. */
    readonly reason: string,
  ) {
    super(`Not canonical JSON at ${path === '' ? 'the root' : cut(path)}: ${reason}`);
  }
}

/**
 * The canonical text of a value; hash its UTF-8 bytes, without a newline. `-0` becomes `0`.
 * @param at where the value will stand in a larger one
 * @throws CanonicalError for undefined, functions, non-finite numbers, integers beyond ±(2^53−1), lone
 *   surrogates in strings or keys, objects that are not plain, and nesting deeper than 200 (so also cycles)
 */
export function canonical(value: Json, at: Path = []): string {
  return write(value, [...at]);
}

function write(value: unknown, path: Path): string {
  switch (typeof value) {
    case 'string':
      return quote(value, path);
    case 'number':
      return writeNumber(value, path);
    case 'boolean':
      return value ? 'true' : 'false';
    case 'object':
      return value === null ? 'null' : writeContainer(value, path);
    default:
      return refuse(path, `a value of type ${typeof value}`);
  }
}

function writeContainer(value: object, path: Path): string {
  // The path's length is the depth. A cycle stops here too, at depth 200.
  if (path.length >= MAX_JSON_DEPTH) refuse(path, `cyclic, or nested deeper than ${MAX_JSON_DEPTH}`);
  return Array.isArray(value) ? writeArray(value, path) : writeObject(value as Record<string, unknown>, path);
}

function writeArray(items: unknown[], path: Path): string {
  let text = '[';
  for (let i = 0; i < items.length; i++) {
    path.push(i);
    text += (i === 0 ? '' : ',') + write(items[i], path);
    path.pop();
  }
  return `${text}]`;
}

function writeObject(value: Record<string, unknown>, path: Path): string {
  if (!isPlain(value)) refuse(path, 'an object that is not plain (a class instance, Date, Map, Buffer …)');
  let text = '{';
  for (const key of sortedKeys(value)) {
    path.push(key);
    text += `${text === '{' ? '' : ','}${quote(key, path)}:${write(value[key], path)}`;
    path.pop();
  }
  return `${text}}`;
}

/** Compares UTF-16 code units, as RFC 8785 section 3.2.3 asks; so do `<` and the default sort. Most keys are in order already. */
function sortedKeys(value: object): string[] {
  const keys = Object.keys(value);
  for (let i = 1; i < keys.length; i++) if (keys[i - 1]! > keys[i]!) return keys.sort();
  return keys;
}

/** Text that is written as it is: JSON escapes none of these characters. */
const PLAIN_TEXT = /^[ !#-[\]-~]{0,100}$/;

function quote(text: string, path: Path): string {
  if (PLAIN_TEXT.test(text)) return `"${text}"`;
  if (hasLoneSurrogate(text)) refuse(path, 'a lone surrogate, which has no UTF-8 form');
  return JSON.stringify(text);
}

function writeNumber(value: number, path: Path): string {
  if (!Number.isFinite(value)) refuse(path, `${value}, which JSON cannot hold`);
  if (isUnsafeInteger(value)) refuse(path, `the integer ${value}, beyond ±(2^53−1); send it as a string`);
  return value === 0 ? '0' : String(value);
}

/** Compares by shape, not identity: values come from other realms (the workflow sandbox, test runners). */
function isPlain(value: object): boolean {
  const proto: unknown = Object.getPrototypeOf(value);
  if (proto === null || proto === Object.prototype) return true;
  return Object.getPrototypeOf(proto) === null && Object.hasOwn(proto as object, 'isPrototypeOf');
}

function refuse(path: Path, reason: string): never {
  throw new CanonicalError(path.map(pointerToken).join(''), reason);
}

function pointerToken(step: string | number): string {
  return `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

function cut(path: string): string {
  return path.length <= 200 ? path : `${path.slice(0, 200)}…`;
}
