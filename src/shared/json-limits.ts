/**
 * What both the parser and the canonical form refuse, in one place, so that a value that one of them
 * takes is never refused by the other (contract.md, "JSON that is hashed").
 */

/** Deepest nesting of arrays and objects; a scalar has depth 0. Keeps recursion far from the stack's end. */
export const MAX_JSON_DEPTH = 200;

/** True if the text cannot be written as UTF-8 without loss. */
export function hasLoneSurrogate(text: string): boolean {
  return !text.isWellFormed();
}

/** True for a number that is an integer which a double cannot tell from its neighbours: beyond ±(2^53−1). */
export function isUnsafeInteger(value: number): boolean {
  return Number.isInteger(value) && !Number.isSafeInteger(value);
}

/** Sets an own property whatever its name: plain assignment of `__proto__` would set the prototype. */
export function setOwn<T>(target: Record<string, T>, key: string, value: T): void {
  if (key === '__proto__') {
    Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
  } else {
    target[key] = value;
  }
}
