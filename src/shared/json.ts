/** The JSON data model. Everything that is hashed, stored or signalled is one of these values. */
export type Json = null | boolean | number | string | Json[] | JsonObject;
export type JsonObject = { [key: string]: Json };

/** What holds nothing but JSON, by its type: an interface too, which TypeScript does not take for a `JsonObject`. */
export type JsonLike<T> = T extends Json | undefined
  ? T
  : T extends (...args: never[]) => unknown
    ? never
    : { [K in keyof T]: JsonLike<T[K]> };

/** The same value, as JSON. A field that is undefined is refused where the value is hashed or stored. */
export function asJson<T>(value: T & JsonLike<T>): Json {
  return value as unknown as Json;
}

/** True for `{…}`; false for arrays, null and scalars. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Own property or undefined: names that come from a model or a signal are untrusted keys (`__proto__`). */
export function getOwn<T>(record: Record<string, T>, key: string): T | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}
