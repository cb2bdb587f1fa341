/**
 * A tool's schemas: zod or JSON Schema in, one strict JSON Schema out, checked by ajv behind a tiny
 * interface. Each schema is compiled by an ajv of its own: two tools may use one `$id`, and what is no
 * longer used can be collected. Nothing is ever fetched: a reference to another document is a fault.
 */
import Ajv, { MissingRefError, type ErrorObject, type ValidateFunction } from 'ajv';
import Ajv2020 from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { z } from 'zod';
import type { Json, JsonObject } from '../shared/json';
import { closed } from './closed';
import { dialectOf, type Dialect } from './dialect';
import { matcherOf } from './pattern';
import { compilesForSure } from './plain-schema';

export interface Violation {
  /** JSON pointer into the value; empty for the value itself. */
  path: string;
  message: string;
}

export type Checked<T = JsonObject> = { valid: true; data: T } | { valid: false; violations: Violation[] };
export type Validator<T = JsonObject> = (value: Json) => Checked<T>;

export interface CompiledInput {
  /** Strict, as the model sees it. */
  schema: JsonObject;
  validate: Validator;
}

/** Unknown keywords and formats are faults: a mistyped `maxlength` would check nothing. Types may be left out, as many tools do. */
export const AJV_OPTIONS = {
  allErrors: true,
  strict: true,
  strictRequired: false,
  strictTypes: false,
  strictTuples: false,
  ownProperties: true,
} as const;

/** Longest schema, characters of JSON: the model reads it with every request. */
const LONGEST = 500_000;

export function isZod(input: unknown): input is z.ZodType {
  return typeof input === 'object' && input !== null && '_zod' in input;
}

/** The strict JSON Schema of a tool's input, as the model sees it and ajv checks it. */
export function inputSchema(input: z.ZodType | JsonObject): JsonObject {
  return closed(writtenInput(input));
}

/** The schema as its author wrote it. */
export function writtenInput(input: z.ZodType | JsonObject): JsonObject {
  return plain(isZod(input) ? z.toJSONSchema(input, { io: 'input' }) : input);
}

/** The JSON Schema of what a tool returns. Further fields are no fault, unless the schema says so. */
export function outputSchema(output: z.ZodType | JsonObject): JsonObject {
  if (!isZod(output)) return plain(output);
  return plain(z.toJSONSchema(output, { io: 'output', override: leaveOpen }));
}

/** zod closes every object of an output; one that is not declared strict would drop further fields, not refuse them. */
function leaveOpen({ zodSchema, jsonSchema }: { zodSchema: z.core.$ZodTypes; jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  const { def } = zodSchema._zod;
  if (def.type === 'object' && def.catchall === undefined) delete jsonSchema.additionalProperties;
}

/** JSON and nothing else: a copy that nobody can change afterwards, without getters. */
export function plain(schema: unknown): JsonObject {
  const text = JSON.stringify(schema);
  if (text.length > LONGEST) throw new Error(`it has ${text.length} characters; at most ${LONGEST} are allowed`);
  return JSON.parse(text) as JsonObject;
}

const compiled = new WeakMap<object, CompiledInput>();

/** Schema and validator of a tool's input, made once for each. @throws Error as `compile` */
export function compiledInput(input: z.ZodType | JsonObject): CompiledInput {
  const known = compiled.get(input);
  if (known) return known;
  const schema = inputSchema(input);
  const made = { schema, validate: compile(schema) };
  compiled.set(input, made);
  return made;
}

/**
 * Compiles a schema of an input: defaults are written into a copy.
 * @throws Error that says why the schema cannot be used
 */
export function compile(schema: JsonObject): Validator {
  const validator = compiler(schema, { useDefaults: true });
  return (input) => {
    const data = JSON.parse(JSON.stringify(input)) as JsonObject;
    const violations = violationsOf(validator(), data);
    return violations.length === 0 ? { valid: true, data } : { valid: false, violations };
  };
}

/** Compiles a schema of an output: what a tool gave is judged, and not touched. @throws Error as `compile` */
export function compileOutput(schema: JsonObject): Validator<Json> {
  const validator = compiler(schema, { useDefaults: false });
  return (data) => {
    const violations = violationsOf(validator(), data);
    return violations.length === 0 ? { valid: true, data } : { valid: false, violations };
  };
}

function violationsOf(validate: ValidateFunction, data: Json): Violation[] {
  try {
    return validate(data) ? [] : (validate.errors ?? []).map(violation);
  } catch (error) {
    if (error instanceof RangeError) return [{ path: '', message: 'is nested too deeply to be checked' }];
    throw error;
  }
}

/** Judge schemas themselves; they compile nothing else. */
const metaSchemas: Record<Dialect, Ajv> = {
  'draft-07': new Ajv({ ...AJV_OPTIONS, logger: false }),
  '2020-12': new Ajv2020({ ...AJV_OPTIONS, logger: false }),
};

/** What fails to compile fails here; where nothing can fail, it is compiled when it is first asked for. */
function compiler(schema: JsonObject, options: { useDefaults: boolean }): () => ValidateFunction {
  const dialect = dialectOf(schema);
  const { $schema: _, ...rest } = schema;
  const judge = metaSchemas[dialect];
  if (!judge.validateSchema(rest)) throw new Error(judge.errorsText(judge.errors, { dataVar: '', separator: '; ' }));
  const usesMeta = /"\$ref":"https?:\/\/json-schema\.org\//.test(JSON.stringify(rest));
  let compiled: ValidateFunction | undefined;
  const validator = () => (compiled ??= ajvFor(dialect, { ...options, usesMeta }).compile(rest));
  if (compilesForSure(rest)) return validator;
  try {
    validator();
    return validator;
  } catch (error) {
    if (!(error instanceof MissingRefError)) throw error;
    throw new Error(
      `it refers to ${error.missingRef}, which is not in it; nothing is fetched: put what it means under $defs and refer to #/$defs/NAME`,
      { cause: error },
    );
  }
}

function ajvFor(dialect: Dialect, { useDefaults, usesMeta }: { useDefaults: boolean; usesMeta: boolean }): Ajv {
  // Not optimized: that is a third of a compilation, and V8 does the same to what runs often.
  // The meta-schema, which ajv compiles in its own way when it judges with it, is needed only where a schema refers to it.
  const all = { ...AJV_OPTIONS, useDefaults, meta: usesMeta, validateSchema: usesMeta, code: { regExp, optimize: false } };
  return addFormats(dialect === '2020-12' ? new Ajv2020(all) : new Ajv(all));
}

/** ajv asks for the name of what makes a matcher only where it writes code to a file, which is done nowhere. */
const regExp = Object.assign(matcherOf, { code: 'matcherOf' });

function violation({ keyword, message, instancePath, params }: ErrorObject): Violation {
  const given = params as Record<string, unknown>;
  const text = message ?? keyword;
  const words =
    keyword === 'additionalProperties' || keyword === 'unevaluatedProperties'
      ? `must NOT have additional properties: ${JSON.stringify(given.additionalProperty ?? given.unevaluatedProperty)}`
      : keyword === 'enum'
        ? `${text}: ${(given.allowedValues as unknown[]).map((value) => JSON.stringify(value)).join(', ')}`
        : text;
  return { path: cut(instancePath, 200), message: cut(words, 300) };
}

/** Names in a violation may be the model's own, and as long as it likes. */
function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length).toWellFormed()}…`;
}
