/** Compares two JSON values for equality. */
import { isJsonObject } from '../../shared/json/json';

/** True for equal JSON values. The order of keys is ignored, and so is the realm that made the objects. */
export function sameJson(a: unknown, b: unknown): boolean {
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((item, index) => sameJson(item, b[index]));
  if (!isJsonObject(a) || !isJsonObject(b)) return Object.is(a, b);
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && sameJson(a[key], b[key]));
}
