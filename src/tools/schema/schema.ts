/**
 * Converts a tool's schemas (zod or JSON Schema) to strict JSON Schema, and compiles validators for them with ajv. Schemas that
 * are no longer used can be garbage-collected. Nothing is ever fetched: a reference to another document is a fault.
 */
import Ajv, { MissingRefError, type ErrorObject, type ValidateFunction } from 'ajv';
import Ajv2020 from 'ajv/dist/2020';
import { join } from 'node:path';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { Json, JsonObject } from '../../shared/json/json';
import { sha256Hex } from '../../shared/json/sha256';
import { AJV_OPTIONS, ajvFor, forAjv, type AjvOptions, dialectOf, type Dialect, compilesForSure } from './ajv';
import { closeSchema } from './close-schema';
import { defaultsOf } from './defaults';
import { isToolError } from '../define/errors';
import { defineJob } from '../isolation/job';
import { inThread } from '../isolation/pool';
import { faultsOver, FEW_FAULTS, FEW_STEPS, stepsOver, weightOf, type Weight } from './cost';

export interface Violation {
  /** JSON pointer into the value; empty for the value itself. */
  path: string;
  message: string;
}

export type ValidationResult<T = JsonObject> = { valid: true; data: T } | { valid: false; violations: Violation[] };
export interface Validator<T = JsonObject> {
  /** A value whose check could take long is refused, unless `ahead` has checked it. */
  (value: Json): ValidationResult<T>;
  /** Checks a value that could take long in a thread, and stores the result. A value that takes too long there is refused. */
  ahead(value: Json, owner: string): Promise<void>;
}

export interface CompiledInput {
  /** Strict, as the model sees it. */
  schema: JsonObject;
  validate: Validator;
}

/** Longest schema, characters of JSON: the model reads it with every request. */
const LONGEST = 500_000;

export function isZod(input: unknown): input is z.ZodType {
  return typeof input === 'object' && input !== null && '_zod' in input;
}

/** The strict JSON Schema of a tool's input, as the model sees it and ajv checks it. */
export function inputSchema(input: z.ZodType | JsonObject): JsonObject {
  return closeSchema(writtenInput(input));
}

/** The JSON Schema as its author wrote it, not closed. */
export function writtenInput(input: z.ZodType | JsonObject): JsonObject {
  return copyAsJson(isZod(input) ? z.toJSONSchema(input, { io: 'input' }) : input);
}

/** The JSON Schema of what a tool returns. Further fields are allowed, unless the schema forbids them. */
export function outputSchema(output: z.ZodType | JsonObject): JsonObject {
  if (!isZod(output)) return copyAsJson(output);
  return copyAsJson(z.toJSONSchema(output, { io: 'output', override: leaveOpen }));
}

/** Opens objects again: zod closes every object of an output, although one that is not strict drops further fields silently. */
function leaveOpen({ zodSchema, jsonSchema }: { zodSchema: z.core.$ZodTypes; jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  const { def } = zodSchema._zod;
  if (def.type === 'object' && def.catchall === undefined) delete jsonSchema.additionalProperties;
}

/** Copies a schema as plain JSON: without getters, and independent of later changes to the original. */
export function copyAsJson(schema: unknown): JsonObject {
  const text = JSON.stringify(schema);
  if (text.length > LONGEST) throw new Error(`it has ${text.length} characters; at most ${LONGEST} are allowed`);
  return JSON.parse(text) as JsonObject;
}

const inputCache = new WeakMap<object, CompiledInput>();

/** Schema and validator of a tool's input, made once for each input. @throws Error as `compile` */
export function compiledInput(input: z.ZodType | JsonObject): CompiledInput {
  const cachedInput = inputCache.get(input);
  if (cachedInput) return cachedInput;
  const schema = inputSchema(input);
  const result = { schema, validate: compile(schema) };
  inputCache.set(input, result);
  return result;
}

/**
 * Compiles an input schema. The validator writes the allowed defaults (defaults.ts) into a copy of the value.
 * @throws Error that says why the schema cannot be used
 */
export function compile(schema: JsonObject): Validator {
  return guardedValidator(schema, { useDefaults: true }) as Validator;
}

/** Compiles an output schema. The validator does not change the value. @throws Error as `compile` */
export function compileOutput(schema: JsonObject): Validator<Json> {
  return guardedValidator(schema, { useDefaults: false });
}

/** Checks on this thread what takes few steps, the rest in another (cost.ts). */
function guardedValidator(schema: JsonObject, options: AjvOptions): Validator<Json> {
  const check = directValidator(schema, options);
  let weight: Weight | undefined;
  const results = new LRUCache<string, ValidationResult<Json>>({ max: CACHE_SIZE });
  const isLong = (json: string) => {
    weight ??= weightOf(schema);
    return stepsOver(weight, json) > FEW_STEPS || faultsOver(weight, json) > FEW_FAULTS;
  };
  const validate = (value: Json): ValidationResult<Json> => {
    const json = JSON.stringify(value);
    return isLong(json) ? structuredClone(results.get(sha256Hex(json)) ?? TOO_LONG) : check(value);
  };
  const ahead = async (value: Json, owner: string): Promise<void> => {
    const json = JSON.stringify(value);
    if (!isLong(json) || results.has(sha256Hex(json))) return;
    const checked = await inThread(
      schemaJob,
      { schema, options: { ...options, allErrors: false }, value },
      { lane: 'admission', owner },
    ).catch(tooLongOrThrow);
    results.set(sha256Hex(json), checked);
  };
  return Object.assign(validate, { ahead });
}

/** How many results are kept between the check in a thread and their use. */
const CACHE_SIZE = 64;
const TOO_LONG: ValidationResult<Json> = {
  valid: false,
  violations: [{ path: '', message: 'takes too long to be checked against its schema: send less, or with less nesting' }],
};

function tooLongOrThrow(error: unknown): ValidationResult<Json> {
  if (isToolError(error)) return TOO_LONG;
  throw error;
}

const schemaJob = defineJob<{ schema: JsonObject; options: AjvOptions; value: Json }, ValidationResult<Json>>(
  join(__dirname, 'schema'),
  'checkInThread',
  'The check',
  { ms: 10_000, reason: 'schema_too_slow', hint: 'Send less.' },
);

const inThisThread = new LRUCache<string, (value: Json) => ValidationResult<Json>>({ max: 50 });

/** Runs in a thread. */
export function checkInThread({
  schema,
  options,
  value,
}: {
  schema: JsonObject;
  options: AjvOptions;
  value: Json;
}): ValidationResult<Json> {
  const key = sha256Hex(JSON.stringify([schema, options]));
  const check = inThisThread.get(key) ?? directValidator(schema, options);
  inThisThread.set(key, check);
  return check(value);
}

function directValidator(schema: JsonObject, options: AjvOptions): (value: Json) => ValidationResult<Json> {
  const validator = compiler(schema, options);
  return (value) => {
    const data = options.useDefaults ? (JSON.parse(JSON.stringify(value)) as Json) : value;
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

/** They check schemas themselves, and compile no other schema. */
const metaSchemas: Record<Dialect, Ajv> = {
  'draft-07': new Ajv({ ...AJV_OPTIONS, logger: false }),
  '2020-12': new Ajv2020({ ...AJV_OPTIONS, logger: false }),
};

/** Checks and compiles a schema. A compilation that may fail is done now; one that cannot fail is done at first use. */
function compiler(schema: JsonObject, options: AjvOptions): () => ValidateFunction {
  const dialect = dialectOf(schema);
  const judge = metaSchemas[dialect];
  const { $schema: _, ...body } = schema;
  if (!judge.validateSchema(body)) throw new Error(judge.errorsText(judge.errors, { dataVar: '', separator: '; ' }));
  const { $schema: __, ...rest } = options.useDefaults ? defaultsOf(schema).schema : schema;
  let validate: ValidateFunction | undefined;
  const validator = () => (validate ??= ajvFor(dialect, rest, options).compile(forAjv(rest, dialect)));
  if (compilesForSure(rest)) return validator;
  try {
    validator();
    return validator;
  } catch (error) {
    if (error instanceof RangeError)
      throw new Error('a $ref in it leads back to itself, or it is nested too deeply', { cause: error });
    if (!(error instanceof MissingRefError)) throw error;
    throw new Error(
      `it refers to ${error.missingRef}, which is not in it; nothing is fetched: put what it means under $defs and refer to #/$defs/NAME`,
      { cause: error },
    );
  }
}

function violation({ keyword, message, instancePath, params }: ErrorObject): Violation {
  const details = params as Record<string, unknown>;
  const text = message ?? keyword;
  const words =
    keyword === 'additionalProperties' || keyword === 'unevaluatedProperties'
      ? `must NOT have additional properties: ${JSON.stringify(details.additionalProperty ?? details.unevaluatedProperty)}`
      : keyword === 'enum'
        ? `${text}: ${(details.allowedValues as unknown[]).map((value) => JSON.stringify(value)).join(', ')}`
        : text;
  return { path: cut(instancePath, 200), message: cut(words, 300) };
}

/** Cuts a text: names in a violation may come from the model, and have any length. */
function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length).toWellFormed()}…`;
}
