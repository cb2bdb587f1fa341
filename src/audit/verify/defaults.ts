/** Checks that an input is the requested one, with nothing added but defaults of the tool's schema. */
import { isJsonObject, type Json } from '../../shared/json/json';
import { hashOf } from './values';

export class Defaults {
  /** Cache: whether a value of the input is a default. */
  private readonly known = new Map<Json, boolean>();

  /** @param values the defaults; null: unknown, so any added value may be one */
  constructor(private readonly values: readonly Json[] | null) {}

  /** Whether `taken` is `asked` with nothing but defaults added. */
  extend(asked: Json, taken: Json): boolean {
    if (Array.isArray(asked) && Array.isArray(taken))
      return taken.every((item, index) => (index < asked.length ? this.extend(asked[index]!, item) : this.isDefault(item))) &&
        taken.length >= asked.length; // oxfmt-ignore
    if (!isJsonObject(asked) || !isJsonObject(taken)) return hashOf(asked) === hashOf(taken);
    for (const [name, value] of Object.entries(taken))
      if (!(Object.hasOwn(asked, name) ? this.extend(asked[name]!, value) : this.isDefault(value))) return false;
    return Object.keys(asked).every((name) => Object.hasOwn(taken, name));
  }

  /** A default may be extended by defaults of its own fields. */
  private isDefault(value: Json): boolean {
    if (this.values === null) return true;
    const before = this.known.get(value);
    if (before !== undefined) return before;
    const is = this.values.some((one) => this.extend(one, value));
    this.known.set(value, is);
    return is;
  }
}

/** All `default` values of a schema, at any depth. */
export function defaultsIn(schema: Json): Json[] {
  const found = new Map<string | null, Json>();
  const look = (value: Json) => {
    if (typeof value !== 'object' || value === null) return;
    if (isJsonObject(value) && value.default !== undefined) found.set(hashOf(value.default), value.default);
    Object.values(value).forEach(look);
  };
  look(schema);
  return [...found.values()];
}
