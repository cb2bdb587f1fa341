/**
 * Which part of JSON Schema each vendor enforces while its model writes a call, by their documentation of structured outputs
 * (2026-11). `schemaFaults` names what a vendor cannot be told of a schema. Pure: it is asked when a worker starts, and by tests.
 */
import { isJsonObject, type Json, type JsonObject } from '../../shared/json/json';
import type { ModelTool } from '../provider';
import { strictSchema, type SchemaSubset } from './strict';

export type SchemaVendor = 'anthropic' | 'openai' | 'google';

const STRUCTURE = ['type', 'properties', 'required', 'additionalProperties', 'items', 'enum', 'const', 'anyOf', '$ref', '$defs'];
const FORMATS = ['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'ipv4', 'ipv6', 'uuid'];
const CONDITIONS = ['not', 'if', 'then', 'else', 'dependentSchemas', 'patternProperties', 'prefixItems', 'contains', 'oneOf'];

export const OPENAI_SUBSET: SchemaSubset = {
  kept: new Set([
    ...[...STRUCTURE, 'description', 'pattern', 'format', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'],
    ...['multipleOf', 'minItems', 'maxItems'],
  ]),
  shaping: new Set([...CONDITIONS, 'allOf']),
  formats: new Set(FORMATS),
  allRequired: true,
  recursive: true,
  mostMinItems: Infinity,
};

export const ANTHROPIC_SUBSET: SchemaSubset = {
  kept: new Set([...STRUCTURE, 'description', 'title', 'default', 'format', 'minItems']),
  shaping: new Set([...CONDITIONS, 'allOf']),
  formats: new Set([...FORMATS, 'uri']),
  allRequired: false,
  recursive: false,
  mostMinItems: 1,
};

/** Keywords whose loss lets a model of Google write what the schema forbids. Other than these, its declarations have a place for. */
const LOST_BY_GOOGLE: ReadonlySet<string> = new Set([
  ...['not', 'if', 'then', 'else', 'dependentSchemas', 'dependentRequired', 'patternProperties', 'propertyNames'],
  ...['prefixItems', 'contains', 'additionalProperties', 'pattern', 'minimum', 'maximum', 'exclusiveMinimum'],
  ...['exclusiveMaximum', 'multipleOf', 'minItems', 'maxItems', 'uniqueItems', 'maxLength', 'minProperties', 'maxProperties'],
]);

/**
 * What of a schema the vendor cannot be told, in words; empty: nothing. For Anthropic and OpenAI: why a tool is sent without
 * `strict`. For Google, which knows no strict schemas: the keywords that its declarations drop. Admission checks the whole schema of
 * each call in any case.
 */
export function schemaFaults(vendor: SchemaVendor, schema: JsonObject): string[] {
  if (vendor === 'google') return lostKeywords(schema);
  const { reason } = strictSchema(schema, vendor === 'openai' ? OPENAI_SUBSET : ANTHROPIC_SUBSET);
  return reason === null ? [] : [reason];
}

/** The tools that ask for `strict` and go without it, and why: for a provider's `faultsOf`. */
export function looseTools(vendor: 'anthropic' | 'openai', tools: readonly ModelTool[]): string[] {
  const strictTools = tools.filter(({ strict }) => strict === true);
  return strictTools.flatMap(({ name, input_schema }) =>
    schemaFaults(vendor, input_schema).map((reason) => `the tool ${name} goes without strict: ${reason}`),
  );
}

/** By keyword, with the first place of each: a large schema must not make a large log line. */
function lostKeywords(schema: JsonObject): string[] {
  const places = new Map<string, string>();
  visit(schema, 'input', (key, at) => {
    if (!places.has(key)) places.set(key, at);
  });
  return [...places].map(([key, at]) => `${at} uses ${key}, which the model does not see`);
}

const OF_ONE: ReadonlySet<string> = new Set([
  'items',
  'not',
  'if',
  'then',
  'else',
  'contains',
  'additionalProperties',
  'propertyNames',
]);
const OF_MANY: ReadonlySet<string> = new Set(['anyOf', 'oneOf', 'allOf', 'prefixItems']);
const BY_NAME: ReadonlySet<string> = new Set(['properties', '$defs', 'definitions', 'patternProperties', 'dependentSchemas']);

function visit(schema: Json, at: string, tell: (key: string, at: string) => void): void {
  if (!isJsonObject(schema)) return;
  for (const [key, value] of Object.entries(schema)) {
    // That an object takes no other field is the usual case, and a model seldom writes one.
    if (LOST_BY_GOOGLE.has(key) && !(key === 'additionalProperties' && value === false)) tell(key, at);
    if (OF_ONE.has(key)) visit(value, `${at}[]`, tell);
    if (OF_MANY.has(key) && Array.isArray(value)) for (const one of value) visit(one, at, tell);
    if (BY_NAME.has(key) && isJsonObject(value))
      for (const [name, one] of Object.entries(value)) visit(one, `${at}.${name}`, tell);
  }
}
