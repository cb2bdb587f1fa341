/** Walks JSON Schemas as trees: lists which keywords contain schemas, and which contain data that is not a schema. */
import { isJsonObject, type Json, type JsonObject, setOwn } from '../../shared/json/json';

const ONE = new Set([
  ...['additionalProperties', 'additionalItems', 'items', 'contains', 'not', 'if', 'then', 'else', 'propertyNames'],
  ...['unevaluatedProperties', 'unevaluatedItems', 'contentSchema'],
]);
const LIST = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems', 'items']);
const SCHEMA_MAPS = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas', 'dependencies']);

/** The keywords that do not affect validity. */
export const ANNOTATIONS = new Set([
  ...['title', 'description', 'default', 'examples', 'deprecated', 'readOnly', 'writeOnly', '$comment', '$schema'],
]);

/** Every keyword of draft-07 and 2020-12 that a tool's schema may use. */
export const KEYWORDS = new Set([
  ...ONE,
  ...LIST,
  ...SCHEMA_MAPS,
  ...ANNOTATIONS,
  ...['type', 'enum', 'const', 'multipleOf', 'maximum', 'exclusiveMaximum', 'minimum', 'exclusiveMinimum'],
  ...['maxLength', 'minLength', 'pattern', 'format', 'maxItems', 'minItems', 'uniqueItems', 'maxContains', 'minContains'],
  ...['maxProperties', 'minProperties', 'required', 'dependentRequired', 'contentEncoding', 'contentMediaType', '$ref'],
]);

/** Appends one token to a JSON pointer. */
export function step(path: string, key: string | number): string {
  return `${path}/${String(key).replace(/~/g, '~0').replace(/\//g, '~1')}`;
}

/**
 * Copies the schema, and replaces each subschema, innermost first, by the result of `change`.
 * Boolean schemas are skipped. `path` is a JSON pointer from the start of the walk.
 */
export function mapSchema(schema: JsonObject, change: (schema: JsonObject, path: string) => Json, path = ''): Json {
  const inner = (value: Json, at: string): Json => (isJsonObject(value) ? mapSchema(value, change, at) : value);
  const out: JsonObject = {};
  for (const [key, value] of Object.entries(schema)) {
    const at = step(path, key);
    if (SCHEMA_MAPS.has(key) && isJsonObject(value)) {
      const children: JsonObject = {};
      for (const [name, each] of Object.entries(value)) setOwn(children, name, inner(each, step(at, name)));
      out[key] = children;
    } else if (LIST.has(key) && Array.isArray(value)) {
      out[key] = value.map((each, index) => inner(each, step(at, index)));
    } else if (ONE.has(key)) {
      out[key] = inner(value, at);
    } else {
      setOwn(out, key, value);
    }
  }
  return change(out, path);
}

/** Calls `visit` for each subschema that is an object, innermost first. */
export function eachSchema(schema: JsonObject, visit: (schema: JsonObject, path: string) => void): void {
  mapSchema(schema, (each, path) => {
    visit(each, path);
    return each;
  });
}

/** The target of a `$ref` in the same document, or undefined. Only JSON pointers: `#` and `#/…`. */
export function resolveRef(root: JsonObject, ref: string): Json | undefined {
  if (ref === '#') return root;
  if (!ref.startsWith('#/')) return undefined;
  let at: Json = root;
  for (const part of ref.slice(2).split('/')) {
    const key = unescapePointer(part);
    if (key === undefined || typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return undefined;
    at = (at as JsonObject)[key] as Json;
  }
  return at;
}

function unescapePointer(part: string): string | undefined {
  try {
    return decodeURIComponent(part).replace(/~1/g, '/').replace(/~0/g, '~');
  } catch {
    return undefined;
  }
}
