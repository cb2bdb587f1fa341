/** Checks that an input is the requested one, with nothing added but defaults of the tool's schema. */
import { isJsonObject, type Json } from '../../shared/json/json';
import { hashOf } from './values';

export class Defaults {
  /** Cache: whether a value of the input is a default. */
  private readonly results = new Map<Json, boolean>();

  /** @param values the defaults; null: unknown, so any added value may be one */
  constructor(private readonly values: readonly Json[] | null) {}

  /** Whether the input is the request with nothing but defaults added. */
  extend(request: Json, input: Json): boolean {
    if (Array.isArray(request) && Array.isArray(input))
      return input.every((item, index) => (index < request.length ? this.extend(request[index]!, item) : this.isDefault(item))) &&
        input.length >= request.length; // oxfmt-ignore
    if (!isJsonObject(request) || !isJsonObject(input)) return hashOf(request) === hashOf(input);
    for (const [name, value] of Object.entries(input))
      if (!(Object.hasOwn(request, name) ? this.extend(request[name]!, value) : this.isDefault(value))) return false;
    return Object.keys(request).every((name) => Object.hasOwn(input, name));
  }

  /** A default may be extended by defaults of its own fields. */
  private isDefault(value: Json): boolean {
    if (this.values === null) return true;
    const before = this.results.get(value);
    if (before !== undefined) return before;
    const is = this.values.some((one) => this.extend(one, value));
    this.results.set(value, is);
    return is;
  }
}

/** All `default` values of a schema, at any depth. */
export function defaultsIn(schema: Json): Json[] {
  const defaults = new Map<string | null, Json>();
  const look = (value: Json) => {
    if (typeof value !== 'object' || value === null) return;
    if (isJsonObject(value) && value.default !== undefined) defaults.set(hashOf(value.default), value.default);
    Object.values(value).forEach(look);
  };
  look(schema);
  return [...defaults.values()];
}
