/**
 * Adapts a result's schema to the subset that Anthropic enforces on the last answer. Admission checks the whole schema in any case,
 * so that limits of numbers, texts and lists may be left out; a schema whose shape cannot be kept gives null.
 */
import { isJsonObject, type Json, type JsonObject } from '../../shared/json/json';
import { strictOrNull } from '../openai/strict-schema';

/** What OpenAI's subset has beyond Anthropic's. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  ...['pattern', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf', 'minItems', 'maxItems'],
]);
/** Their values are schemas by name, whatever the names are. */
const NAMED: ReadonlySet<string> = new Set(['properties', '$defs']);
/** Their values are data. */
const DATA: ReadonlySet<string> = new Set(['enum', 'const', 'required']);

export function enforceable(schema: JsonObject): JsonObject | null {
  const strict = strictOrNull(schema);
  return strict === null || refers(strict) ? null : (lighter(strict) as JsonObject);
}

/** References may be recursive, which the subset does not have. */
function refers(schema: Json): boolean {
  if (Array.isArray(schema)) return schema.some(refers);
  return isJsonObject(schema) && (typeof schema.$ref === 'string' || Object.values(schema).some(refers));
}

function lighter(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(lighter);
  if (!isJsonObject(schema)) return schema;
  const kept = Object.entries(schema).filter(([key]) => !LEFT_OUT.has(key));
  return Object.fromEntries(kept.map(([key, value]) => [key, part(key, value)]));
}

function part(key: string, value: Json): Json {
  if (DATA.has(key)) return value;
  if (!NAMED.has(key) || !isJsonObject(value)) return lighter(value);
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, lighter(one)]));
}
