/** Types and helpers for JSON: limits, sizes in bytes, packing of repeated texts, and faults for unknown fields. */
import { isOneSlip, nearest as mostAlike, similarity } from '../text/similar';

/** The JSON data model. Every value that is hashed, stored or signalled has this type. */
export type Json = null | boolean | number | string | Json[] | JsonObject;
export type JsonObject = { [key: string]: Json };

/** A type that holds only JSON. It also takes an interface, which TypeScript does not accept as a `JsonObject`. */
export type JsonLike<T> = T extends Json | undefined
  ? T
  : T extends (...args: never[]) => unknown
    ? never
    : { [K in keyof T]: JsonLike<T[K]> };

/** The same value, typed as JSON. Hashing or storing it fails if a field is undefined. */
export function asJson<T>(value: T & JsonLike<T>): Json {
  return value as unknown as Json;
}

/** True for `{…}`; false for arrays, null and scalars. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What a text of somebody else holds, if that is a JSON object; else an empty one. */
export function objectIn(text: string): JsonObject {
  try {
    const value = JSON.parse(text) as unknown;
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
}

/** Own property, or undefined: names from a model or a signal are untrusted keys (`__proto__`). */
export function getOwn<T>(record: Record<string, T>, key: string): T | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

/**
 * The limits that the parser and the canonical form share, so that a value that one of them takes is never refused by the other.
 */

/** Deepest nesting of arrays and objects; a scalar has depth 0. Keeps recursion far from a stack overflow. */
export const MAX_JSON_DEPTH = 200;

/** True if the text cannot be written as UTF-8 without loss. */
export function hasLoneSurrogate(text: string): boolean {
  return !text.isWellFormed();
}

/** True for an integer that a double cannot tell from its neighbours: beyond ±(2^53−1). */
export function isUnsafeInteger(value: number): boolean {
  return Number.isInteger(value) && !Number.isSafeInteger(value);
}

/** Sets an own property with any name: plain assignment of `__proto__` would set the prototype. */
export function setOwn<T>(target: Record<string, T>, key: string, value: T): void {
  if (key === '__proto__') {
    Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
  } else {
    target[key] = value;
  }
}

/** Sizes of values on the wire: UTF-8 bytes of their JSON. A count of characters says little: one may take six bytes. */

/** UTF-8 bytes of a value's JSON; 0 for a value without JSON. */
export function jsonBytes(value: unknown): number {
  return utf8Length(JSON.stringify(value) ?? '');
}

/** The text; if its JSON takes more than `bytes`, the beginning that fits, with an ellipsis. */
export function cutJson(text: string, bytes: number): string {
  if (jsonBytes(text) <= bytes) return text;
  let size = 5; // quotes and ellipsis
  let out = '';
  for (const char of text.toWellFormed()) {
    size += jsonBytes(char) - 2;
    if (size > bytes) break;
    out += char;
  }
  return `${out}…`;
}

/** UTF-8 bytes of a text, counted without encoding. A lone surrogate counts as the three bytes of its replacement character. */
export function utf8Length(text: string): number {
  let bytes = text.length;
  for (const [run] of text.matchAll(/[^\0-\x7f]+/g)) bytes += bytesBeyondLength(run);
  return bytes;
}

/** @param text without ASCII */
function bytesBeyondLength(text: string): number {
  let bytes = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    bytes += code < 0x800 ? 1 : 2;
    const pair = code >= 0xd800 && code < 0xdc00 && (text.charCodeAt(i + 1) & 0xfc00) === 0xdc00;
    if (pair) i += 1; // two units, four bytes
  }
  return bytes;
}

// Packs a value: a text that occurs several times is written once. A call's digest, a person's name and a note occur at many places
// of a turn's state, which travels from run to run.

export interface PackedJson {
  texts: string[];
  /** A text `~<n>` means `texts[n]`; any other text that begins with `~` gets one more `~` in front. */
  value: Json;
  /** Part with what people said; `value` then has only indexes into it. Absent: `value` has everything. */
  said_ref?: string;
}

/** Shorter texts are not worth packing. */
const SHORTEST = 16;

/** @param value plain data; what is undefined is left out, as in JSON */
export function packJson(value: unknown): PackedJson {
  const counts = new Map<string, number>();
  eachText(value, (text) => text.length >= SHORTEST && counts.set(text, (counts.get(text) ?? 0) + 1));
  const texts = [...counts].filter(([, count]) => count > 1).map(([text]) => text);
  const places = new Map(texts.map((text, index) => [text, `~${index}`]));
  return { texts, value: mapTexts(value, (text) => places.get(text) ?? (text.startsWith('~') ? `~${text}` : text)) };
}

export function unpackJson({ texts, value }: PackedJson): Json {
  return mapTexts(value, (text) => {
    if (!text.startsWith('~')) return text;
    return text.startsWith('~~') ? text.slice(1) : texts[Number(text.slice(1))]!;
  });
}

/** False for the state format of older builds. */
export function isPacked(value: unknown): value is PackedJson {
  return typeof value === 'object' && value !== null && Array.isArray((value as Partial<PackedJson>).texts);
}

/** Visits texts at every depth; names of fields are not visited. */
export function eachText(value: unknown, tell: (text: string) => void): void {
  if (typeof value === 'string') tell(value);
  else if (typeof value === 'object' && value !== null) for (const part of Object.values(value)) eachText(part, tell);
}

function mapTexts(value: unknown, change: (text: string) => string): Json {
  if (typeof value === 'string') return change(value);
  if (typeof value !== 'object' || value === null) return (value ?? null) as Json;
  if (Array.isArray(value)) return value.map((part: unknown) => mapTexts(part, change));
  const parts = Object.entries(value).filter(([, part]) => part !== undefined);
  return Object.fromEntries(parts.map(([key, part]) => [key, mapTexts(part, change)]));
}

/** A copy that its owner may change; several times as fast as `structuredClone` for what is small. */
export function copyJson<T extends Json>(value: T): T;
export function copyJson(value: Json): Json {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => copyJson(item));
  const copy = { ...value };
  for (const key of Object.keys(copy)) copy[key] = copyJson(copy[key]!);
  return copy;
}

// Unknown fields of a definition: a rule under a misspelt name has no effect, and nothing else would show it.

/**
 * One fault for each unknown field, with the right name if a similar one is known.
 * @param at what the fields are in, for the message: `permissions`; empty for the definition itself
 */
export function unknownFields(definition: unknown, names: readonly string[], at = ''): string[] {
  if (typeof definition !== 'object' || definition === null || Array.isArray(definition)) return [];
  return Object.keys(definition)
    .filter((name) => !names.includes(name))
    .map((name) => {
      const near = nearest(name, names);
      const where = at === '' ? '' : `${at}.`;
      const rest = near === null ? `the fields are ${names.join(', ')}` : `did you mean ${near}?`;
      return `${where}${name.slice(0, 100)} is no field; ${rest}`;
    });
}

/** Less similar names are not offered as a correction. */
const ALIKE = 0.6;

/** The most similar known name; null: none is similar enough. */
export function nearest(name: string, names: readonly string[]): string | null {
  const slip = names.find((word) => isOneSlip(name.toLowerCase(), word.toLowerCase()));
  if (slip !== undefined) return slip;
  const [best] = mostAlike(name, names, 1);
  return best !== undefined && similarity(name, best) >= ALIKE ? best : null;
}
