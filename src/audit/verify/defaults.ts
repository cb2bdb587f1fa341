/** Whether an input is the one that was asked for, and what the defaults of a schema have added. */
import { isJsonObject, type Json } from '../../shared/json/json';
import { hashOf } from './values';

export class Defaults {
  /** Of parts of the input: whether each is a default. */
  private readonly known = new Map<Json, boolean>();

  /** @param values null: nobody knows them, so that what was added may be one */
  constructor(private readonly values: readonly Json[] | null) {}

  /** Whether `taken` is `asked`, with nothing but defaults besides. */
  extend(asked: Json, taken: Json): boolean {
    if (Array.isArray(asked) && Array.isArray(taken))
      return taken.every((item, index) => (index < asked.length ? this.extend(asked[index]!, item) : this.isDefault(item))) &&
        taken.length >= asked.length; // oxfmt-ignore
    if (!isJsonObject(asked) || !isJsonObject(taken)) return hashOf(asked) === hashOf(taken);
    for (const [name, value] of Object.entries(taken))
      if (!(Object.hasOwn(asked, name) ? this.extend(asked[name]!, value) : this.isDefault(value))) return false;
    return Object.keys(asked).every((name) => Object.hasOwn(taken, name));
  }

  /** A default has those of its own fields in it. */
  private isDefault(value: Json): boolean {
    if (this.values === null) return true;
    const before = this.known.get(value);
    if (before !== undefined) return before;
    const is = this.values.some((one) => this.extend(one, value));
    this.known.set(value, is);
    return is;
  }
}

/** All that a schema has as a `default`, at any depth. */
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
