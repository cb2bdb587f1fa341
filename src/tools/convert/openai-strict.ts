/**
 * Converts JSON Schemas to the subset of OpenAI's strict mode, and strict inputs back. In strict mode every object is closed and
 * every property required, so that an optional one becomes required and nullable; only some keywords are allowed. Admission still
 * checks the other keywords. A schema with structures that strict mode lacks (maps, conditions, tuples) makes a tool non-strict.
 * Source: OpenAI's guide "Structured model outputs", Supported schemas.
 */
import { isJsonObject, type Json, type JsonObject, setOwn } from '../../shared/json/json';
import type { Conversion, Loss } from './conversion';
import { eachSchema, mapSchema, resolveRef, step } from './schema-tree';

const SUPPORTED_KEYWORDS = new Set([
  ...['type', 'enum', 'const', 'anyOf', '$ref', '$defs', 'definitions', 'title', 'description'],
  ...['properties', 'required', 'additionalProperties', 'items', 'minItems', 'maxItems', 'pattern', 'format'],
  ...['multipleOf', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'],
]);
const FORMATS = new Set(['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'ipv4', 'ipv6', 'uuid']);
/** Keywords for structures that strict mode cannot express. */
const SHAPES = new Set([
  'patternProperties',
  'prefixItems',
  'allOf',
  'not',
  'if',
  'then',
  'else',
  'dependentSchemas',
  'dependencies',
]);
/** OpenAI's limits for a schema: number of properties, and nesting depth of objects. */
const PROPERTIES = 5000;
const DEPTH = 10;

/** @returns the strict schema; null when the schema cannot be strict, with the reasons as losses */
export function strictSchema(schema: JsonObject): Conversion<JsonObject | null> {
  const reasons = notStrict(schema);
  if (reasons.length > 0) return { value: null, losses: reasons };
  const losses: Loss[] = [];
  const reportLoss = (path: string, what: string) => losses.push({ path, what });
  const value = mapSchema(schema, (each, path) => {
    const out: JsonObject = {};
    for (const [key, item] of Object.entries(each)) {
      const at = step(path, key);
      if (key === 'oneOf' && Array.isArray(item)) {
        out.anyOf = item;
        reportLoss(at, 'oneOf became anyOf; that exactly one fits is checked at admission');
      } else if (key === '$schema') continue;
      else if (!SUPPORTED_KEYWORDS.has(key)) reportLoss(at, `strict mode has no ${key}: ${JSON.stringify(item).slice(0, 60)}`);
      else if (key === 'format' && !FORMATS.has(item as string))
        reportLoss(at, `strict mode has no format ${JSON.stringify(item)}`);
      else out[key] = item;
    }
    return out.type === 'object' || isJsonObject(out.properties) ? requireAll(out) : out;
  }) as JsonObject;
  return { value, losses };
}

function requireAll(schema: JsonObject): JsonObject {
  const properties: JsonObject = {};
  const required = (schema.required ?? []) as string[];
  for (const [name, each] of Object.entries((schema.properties ?? {}) as JsonObject)) {
    setOwn(properties, name, required.includes(name) ? each : nullable(each as JsonObject));
  }
  return { ...schema, type: schema.type ?? 'object', properties, required: Object.keys(properties), additionalProperties: false };
}

function nullable(schema: JsonObject): JsonObject {
  const { description, ...rest } = schema;
  const descriptionField: JsonObject = description === undefined ? {} : { description };
  const types = typeof rest.type === 'string' ? [rest.type] : (rest.type as string[] | undefined);
  if (types && !('const' in rest) && !('anyOf' in rest) && !('$ref' in rest)) {
    const nulls: JsonObject = 'enum' in rest ? { enum: [...new Set([...(rest.enum as Json[]), null])] } : {};
    return { ...descriptionField, ...rest, ...nulls, type: [...new Set([...types, 'null'])] };
  }
  return { ...descriptionField, anyOf: [rest, { type: 'null' }] };
}

function notStrict(root: JsonObject): Loss[] {
  const losses: Loss[] = [];
  const cannot = (path: string, why: string) => losses.push({ path, what: `not strict: ${why}` });
  let count = 0;
  if ('anyOf' in root || 'oneOf' in root || '$ref' in root) cannot('', 'the root must be a plain object');
  eachSchema(root, (schema, path) => {
    for (const key of Object.keys(schema)) if (SHAPES.has(key)) cannot(step(path, key), `strict mode has no ${key}`);
    const { additionalProperties, properties, type } = schema;
    const object = type === 'object' || properties !== undefined;
    if (object && additionalProperties !== false) cannot(path, 'an object takes further properties');
    const values = [
      ...Object.entries((properties ?? {}) as JsonObject),
      ...(isJsonObject(schema.items) ? [['items', schema.items]] : []),
    ];
    for (const [name, each] of values as [string, Json][]) {
      if (!isJsonObject(each) || !constrainsValue(each)) cannot(step(path, name), 'a value of any type');
    }
    if (type === 'array' && !isJsonObject(schema.items)) cannot(path, 'an array of anything');
    count += Object.keys((properties ?? {}) as JsonObject).length;
  });
  if (count > PROPERTIES) cannot('', `${count} properties; ${PROPERTIES} are allowed`);
  if (depthOf(root) > DEPTH) cannot('', `objects are nested deeper than ${DEPTH}`);
  return losses;
}

function constrainsValue(schema: JsonObject): boolean {
  return ['type', 'enum', 'const', 'anyOf', 'oneOf', '$ref'].some((key) => key in schema);
}

function depthOf(schema: JsonObject): number {
  let deepest = 0;
  eachSchema(schema, (_each, path) => {
    deepest = Math.max(deepest, path.split('/').filter((part) => part === 'properties').length);
  });
  return deepest;
}

/**
 * Converts a strict call's input back: removes a null where the tool's own schema has the property optional and does not
 * allow null. Everything else is unchanged; admission checks it.
 */
export function inputFromStrict(parameters: JsonObject, input: Json): Json {
  return withoutNulls(parameters, parameters, input);
}

function withoutNulls(root: JsonObject, schema: Json | undefined, value: Json): Json {
  const at = followRef(root, schema);
  if (!at) return value;
  if (Array.isArray(value)) return value.map((item) => withoutNulls(root, at.items, item));
  if (!isJsonObject(value) || !isJsonObject(at.properties)) return value;
  const required = (at.required ?? []) as string[];
  const out: JsonObject = {};
  for (const [name, each] of Object.entries(value)) {
    const property = Object.hasOwn(at.properties, name) ? at.properties[name] : undefined;
    const leftOut = each === null && property !== undefined && !required.includes(name) && !takesNull(root, property);
    if (!leftOut) setOwn(out, name, withoutNulls(root, property, each));
  }
  return out;
}

function followRef(root: JsonObject, schema: Json | undefined): JsonObject | undefined {
  let at = schema;
  for (let hops = 0; hops < 20 && isJsonObject(at) && typeof at.$ref === 'string'; hops++) at = resolveRef(root, at.$ref);
  return isJsonObject(at) ? at : undefined;
}

function takesNull(root: JsonObject, schema: Json): boolean {
  const at = followRef(root, schema);
  if (!at) return schema === true;
  const choices = (at.anyOf ?? at.oneOf) as Json[] | undefined;
  if (choices) return choices.some((choice) => takesNull(root, choice));
  if (Array.isArray(at.enum)) return at.enum.includes(null);
  if ('const' in at) return at.const === null;
  return at.type === undefined || at.type === 'null' || (Array.isArray(at.type) && at.type.includes('null'));
}
