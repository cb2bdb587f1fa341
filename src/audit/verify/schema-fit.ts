/**
 * Whether a value surely does not fit a JSON Schema. Keywords whose meaning depends on a library (patterns, formats, references to
 * other places) are left out: a verifier reports only what every reader of the schema would. Its twin: verify_results.py.
 */
import { isJsonObject, type Json, type JsonObject } from '../../shared/json/json';
import { canonical } from '../../shared/json/canonical';

/** Checks of one place against one schema; a value that takes more counts as one that fits. */
const MOST_STEPS = 200_000;

export function isMisfit(schema: Json, value: Json): boolean {
  return new Misfits(schema).check(schema, value, 0);
}

class Misfits {
  private steps = 0;

  constructor(private readonly root: Json) {}

  check(schema: Json, value: Json, depth: number): boolean {
    this.steps += 1;
    if (schema === false) return true;
    if (!isJsonObject(schema) || this.steps > MOST_STEPS || depth > 100) return false;
    const below = (one: Json) => this.check(one, value, depth + 1);
    const { allOf, anyOf, oneOf, $ref } = schema;
    return (
      isOtherType(schema, value) ||
      isOtherValue(schema, value) ||
      (Array.isArray(allOf) && allOf.some(below)) ||
      [anyOf, oneOf].some((list) => Array.isArray(list) && list.length > 0 && list.every(below)) ||
      (typeof $ref === 'string' && below(this.targetOf($ref))) ||
      this.misfitsWithin(schema, value, depth + 1)
    );
  }

  private misfitsWithin(schema: JsonObject, value: Json, depth: number): boolean {
    if (typeof value === 'number') return isOutside(value, schema.minimum, schema.maximum);
    if (typeof value === 'string') return isOutside([...value].length, schema.minLength, schema.maxLength);
    if (Array.isArray(value)) return this.listMisfits(schema, value, depth);
    return isJsonObject(value) && this.objectMisfits(schema, value, depth);
  }

  private listMisfits({ items, prefixItems, minItems, maxItems }: JsonObject, value: Json[], depth: number): boolean {
    if (isOutside(value.length, minItems, maxItems)) return true;
    // In older schemas `items` may be a list.
    if (prefixItems !== undefined || Array.isArray(items)) return false;
    return value.some((one) => this.check(items ?? true, one, depth));
  }

  private objectMisfits(schema: JsonObject, value: JsonObject, depth: number): boolean {
    const { required, additionalProperties = true, patternProperties } = schema;
    const properties = isJsonObject(schema.properties ?? null) ? (schema.properties as JsonObject) : {};
    const others = patternProperties === undefined ? additionalProperties : true;
    if (Array.isArray(required) && required.some((name) => typeof name === 'string' && !Object.hasOwn(value, name))) return true;
    return Object.entries(value).some(([name, one]) =>
      this.check(Object.hasOwn(properties, name) ? properties[name]! : others, one, depth),
    );
  }

  /** True, which everything fits, for a reference that is not a pointer into this schema. */
  private targetOf(ref: string): Json {
    if (ref === '#') return this.root;
    if (!ref.startsWith('#/') || ref.includes('%')) return true;
    let at: Json | undefined = this.root;
    for (const key of ref.slice(2).split('/')) {
      const name = key.replaceAll('~1', '/').replaceAll('~0', '~');
      at = isJsonObject(at ?? null) && Object.hasOwn(at as JsonObject, name) ? (at as JsonObject)[name] : undefined;
    }
    return at ?? true;
  }
}

function isOtherType({ type }: JsonObject, value: Json): boolean {
  const types = Array.isArray(type) ? type : [type];
  if (!types.every((one) => typeof one === 'string') || types.length === 0) return false;
  return !types.some((one) => one === typeOf(value) || (one === 'integer' && Number.isInteger(value)));
}

function typeOf(value: Json): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

function isOtherValue(schema: JsonObject, value: Json): boolean {
  const isSame = (one: Json) => canonical(one) === canonical(value);
  if (Object.hasOwn(schema, 'const') && !isSame(schema.const!)) return true;
  return Array.isArray(schema.enum) && !schema.enum.some(isSame);
}

function isOutside(value: number, least: Json | undefined, most: Json | undefined): boolean {
  return (typeof least === 'number' && value < least) || (typeof most === 'number' && value > most);
}
