/**
 * Adapts a tool's schema to the subset that OpenAI enforces while the model writes a call (`strict`). Admission checks the whole
 * schema of each call in any case, so that keywords may be left out; a schema whose shape cannot be kept is sent without `strict`.
 */
import { isJsonObject, type Json, type JsonObject } from '../../shared/json/json';

export type StrictSchema = { schema: JsonObject; reason: null } | { schema: null; reason: string };

/** Keywords that the subset has, by the documentation of structured outputs. */
const KEPT_KEYWORDS: ReadonlySet<string> = new Set([
  ...[
    'type',
    'properties',
    'required',
    'additionalProperties',
    'items',
    'enum',
    'const',
    'anyOf',
    '$ref',
    '$defs',
    'description',
  ],
  ...['pattern', 'format', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf', 'minItems', 'maxItems'],
]);
/** Keywords without which the schema would mean something else. */
const SHAPING: ReadonlySet<string> = new Set([
  ...['allOf', 'oneOf', 'not', 'if', 'then', 'else', 'dependentSchemas', 'patternProperties', 'prefixItems', 'contains'],
]);
const FORMATS: ReadonlySet<Json> = new Set([
  'date-time',
  'time',
  'date',
  'duration',
  'email',
  'hostname',
  'ipv4',
  'ipv6',
  'uuid',
]);

export function strictSchema(schema: JsonObject): StrictSchema {
  try {
    const adapted = adapt(schema, 'input');
    if (adapted.type !== 'object') throw new Misfit('input is not an object');
    return { schema: adapted, reason: null };
  } catch (error) {
    if (error instanceof Misfit) return { schema: null, reason: error.message };
    throw error;
  }
}

class Misfit extends Error {}

function adapt(schema: Json | undefined, at: string): JsonObject {
  if (!isJsonObject(schema ?? null)) throw new Misfit(`${at} has no schema of its own`);
  const whole = schema as JsonObject;
  const shaping = Object.keys(whole).find((key) => SHAPING.has(key));
  if (shaping !== undefined) throw new Misfit(`${at} uses ${shaping}`);
  const { properties, items, anyOf, $defs, ...rest } = Object.fromEntries(
    Object.entries(whole).filter(([key, value]) => KEPT_KEYWORDS.has(key) && (key !== 'format' || FORMATS.has(value))),
  );
  return {
    ...rest,
    ...(isObjectType(whole) ? objectParts(whole, at) : {}),
    ...(items === undefined ? {} : { items: adapt(items, `${at}[]`) }),
    ...(Array.isArray(anyOf) ? { anyOf: anyOf.map((one) => adapt(one, at)) } : {}),
    ...(isJsonObject($defs ?? null) ? { $defs: mapValues($defs as JsonObject, (one, name) => adapt(one, name)) } : {}),
  };
}

function isObjectType({ type, properties }: JsonObject): boolean {
  return properties !== undefined || type === 'object' || (Array.isArray(type) && type.includes('object'));
}

function objectParts({ properties, required, additionalProperties }: JsonObject, at: string): JsonObject {
  const fields = isJsonObject(properties ?? null) ? (properties as JsonObject) : {};
  const names = Object.keys(fields);
  const listed: Json[] = Array.isArray(required) ? required : [];
  const free = names.find((name) => !listed.includes(name));
  if (free !== undefined) throw new Misfit(`${at}.${free} is optional`);
  if (additionalProperties !== false) throw new Misfit(`${at} allows other fields`);
  return {
    type: 'object',
    properties: mapValues(fields, (one, name) => adapt(one, `${at}.${name}`)),
    required: names,
    additionalProperties: false,
  };
}

function mapValues(object: JsonObject, make: (value: Json, key: string) => JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, make(value, key)]));
}
