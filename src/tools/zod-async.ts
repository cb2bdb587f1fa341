/** Finds what of a zod schema would have to be waited for: admission asks a schema at once. Only `async` functions can be seen. */
import { types } from 'node:util';

/** Path to the first asynchronous refinement or transform, as `/list`; null: none is seen. */
export function asyncPlace(schema: unknown, path = '', seen = new Set<unknown>()): string | null {
  if (typeof schema !== 'object' || schema === null || seen.has(schema)) return null;
  seen.add(schema);
  const { _zod: zod } = schema as { _zod?: { def?: Record<string, unknown> } };
  if (zod === undefined) {
    // A list, a shape or a map of schemas; anything else holds none.
    for (const [name, part] of Object.entries(schema)) {
      const found = asyncPlace(part, Array.isArray(schema) ? path : `${path}/${name}`, seen);
      if (found !== null) return found;
    }
    return null;
  }
  for (const part of Object.values(zod.def ?? {})) {
    if (types.isAsyncFunction(part)) return path;
    const found = asyncPlace(part, path, seen);
    if (found !== null) return found;
  }
  return null;
}
