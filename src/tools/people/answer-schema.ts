/**
 * The JSON Schema of an answer that a model wants from a person. A model writes it, so it is treated as hostile: bounded in bytes and
 * depth, without references, and only with keywords and patterns that can be checked in bounded time.
 */
import { ANSWER_BYTES, answerSizeFault, type PersonQuestionInput } from '../../shared/approval/person-question';
import { isJsonObject, type Json, type JsonObject, jsonBytes } from '../../shared/json/json';
import type { Loss } from '../convert/conversion';
import { foreignSchema } from '../convert/foreign-schema';
import { compileOutput, type Validator } from '../schema/schema';

const SCHEMA_BYTES = 4000;
const SCHEMA_DEPTH = 12;
/** Faults that a message names. */
const SHOWN_FAULTS = 5;

/** Why a schema cannot be used, or null. */
export function answerSchemaFault(schema: JsonObject): string | null {
  const result = readSchema(schema);
  return typeof result === 'string' ? result : null;
}

/** Why a value is no answer to the question, or null. @param owner whose share of the threads a long check uses */
export async function answerFault(question: PersonQuestionInput, value: Json, owner: string): Promise<string | null> {
  const size = answerSizeFault(value, jsonBytes(value));
  if (size !== null) return size;
  const { choices, schema } = question;
  if (choices !== undefined)
    return choices.some((choice) => choice === value)
      ? null
      : `"value" must be one of ${choices.map((choice) => JSON.stringify(choice)).join(', ')}`;
  if (schema === undefined)
    return typeof value === 'string' && value.trim() !== '' ? null : `"value" must be a text of 1 to ${ANSWER_BYTES} bytes`;
  const wrapped = readSchema(schema);
  if (typeof wrapped === 'string') return `the schema of the question cannot be used: ${wrapped}`;
  return violations(compileOutput(wrapped), value, owner);
}

async function violations(validate: Validator<Json>, value: Json, owner: string): Promise<string | null> {
  const answer = { value };
  await validate.ahead(answer, owner);
  const result = validate(answer);
  if (result.valid) return null;
  const places = result.violations.slice(0, SHOWN_FAULTS);
  return `the answer does not fit: ${places.map(({ path, message }) => `${placeOf(path)} ${message}`).join('; ')}`;
}

/** `/value/cents` → `"value" at /cents` */
function placeOf(path: string): string {
  const below = path.replace(/^\/value/, '');
  return below === '' ? '"value"' : `"value" at ${below}`;
}

/** A schema of `{value}`, since an answer may be of any type and the checks of foreign schemas are for objects; or the fault. */
function readSchema(schema: JsonObject): JsonObject | string {
  const bytes = jsonBytes(schema);
  if (bytes > SCHEMA_BYTES) return `it has ${bytes} bytes; ${SCHEMA_BYTES} are allowed`;
  if (!isWithin(schema, SCHEMA_DEPTH)) return `it is nested deeper than ${SCHEMA_DEPTH} levels`;
  if (hasReference(schema)) return 'it has a $ref: write out what it refers to';
  const faults: string[] = [];
  const losses: Loss[] = [];
  const wrapper = { type: 'object', properties: { value: schema }, required: ['value'], additionalProperties: false };
  const cleaned = foreignSchema(wrapper, '', faults, losses);
  const all = [...faults, ...losses.map(({ path, what }) => `${path}: ${what} cannot be used`)];
  return all.length === 0 ? cleaned : all.slice(0, SHOWN_FAULTS).join('; ').replaceAll('/properties/value', '');
}

function isWithin(value: Json, levels: number): boolean {
  if (value === null || typeof value !== 'object') return true;
  return levels > 0 && Object.values(value).every((each) => isWithin(each, levels - 1));
}

function hasReference(value: Json): boolean {
  if (Array.isArray(value)) return value.some(hasReference);
  if (!isJsonObject(value)) return false;
  return Object.entries(value).some(([key, each]) => (key === '$ref' && typeof each === 'string') || hasReference(each));
}
