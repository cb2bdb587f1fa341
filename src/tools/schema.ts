/**
 * Input schemas: zod or JSON Schema in, one strict JSON Schema out, checked by ajv behind a tiny
 * interface. Strict: an object schema that lists its properties takes no others unless it says so.
 */
import Ajv, { type ErrorObject, type ValidateFunction } from 'ajv';
import Ajv2020 from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { z } from 'zod';
import { isJsonObject, type Json, type JsonObject } from '../shared/json';

export interface Violation {
  /** JSON pointer into the input; empty for the input itself. */
  path: string;
  message: string;
}

export type Checked = { valid: true; data: JsonObject } | { valid: false; violations: Violation[] };
export type Validator = (input: Json) => Checked;

const OPTIONS = { allErrors: true, useDefaults: true, strict: true, strictRequired: false, ownProperties: true } as const;
const draft07 = addFormats(new Ajv({ ...OPTIONS, allowUnionTypes: true }));
const draft2020 = addFormats(new Ajv2020({ ...OPTIONS, allowUnionTypes: true }));

export function isZod(input: unknown): input is z.ZodType {
  return typeof input === 'object' && input !== null && '_zod' in input;
}

/** The strict JSON Schema of a tool's input, as the model sees it and ajv checks it. */
export function inputSchema(input: z.ZodType | JsonObject): JsonObject {
  const raw = isZod(input) ? (z.toJSONSchema(input, { io: 'input' }) as JsonObject) : input;
  return closed(raw) as JsonObject;
}

/** Adds `additionalProperties: false` to object schemas that leave it open and are not combined with others. */
function closed(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(closed);
  if (!isJsonObject(schema)) return schema;
  const out: JsonObject = {};
  for (const [key, value] of Object.entries(schema)) {
    if (KEYWORDS_WITH_DATA.has(key)) out[key] = value;
    else if (KEYWORDS_WITH_NAMES.has(key) && isJsonObject(value)) out[key] = mapValues(value, closed);
    else out[key] = closed(value);
  }
  const combined = 'allOf' in out || 'anyOf' in out || 'oneOf' in out || '$ref' in out || 'if' in out;
  const open = !('additionalProperties' in out) && !('unevaluatedProperties' in out) && !('patternProperties' in out);
  if (out.type === 'object' && open && !combined) out.additionalProperties = false;
  return out;
}

function mapValues(record: JsonObject, change: (value: Json) => Json): JsonObject {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]));
}

/** Keywords whose keys are names that the author chose, not keywords. */
const KEYWORDS_WITH_NAMES = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']);
const KEYWORDS_WITH_DATA = new Set(['default', 'const', 'enum', 'examples', 'required', '$schema', 'pattern']);

/** Compiles a schema. @throws Error when ajv refuses the schema itself */
export function compile(schema: JsonObject): Validator {
  const uses2020 = typeof schema.$schema === 'string' && schema.$schema.includes('2020-12');
  const validate: ValidateFunction = (uses2020 ? draft2020 : draft07).compile(schema);
  return (input) => {
    const data = JSON.parse(JSON.stringify(input)) as JsonObject; // defaults are written into a copy
    if (validate(data)) return { valid: true, data };
    return { valid: false, violations: (validate.errors ?? []).map(violation) };
  };
}

function violation(error: ErrorObject): Violation {
  const params = error.params as Record<string, unknown>;
  const extra =
    error.keyword === 'additionalProperties'
      ? `: ${JSON.stringify(params.additionalProperty)}`
      : error.keyword === 'enum'
        ? `: ${(params.allowedValues as unknown[]).map((v) => JSON.stringify(v)).join(', ')}`
        : '';
  return { path: cut(error.instancePath, 200), message: cut(`${error.message ?? error.keyword}${extra}`, 300) };
}

/** Names in a violation may be the model's own, and as long as it likes. */
function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length).toWellFormed()}…`;
}
