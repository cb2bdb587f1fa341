/** Reads a tool's input from an address: `?ticker=AAPL&limit=5`. All values there are text; the tool's schema gives their types. */
import { isJsonObject, type Json, type JsonObject } from '../../shared/json/json';
import { parseJson } from '../../shared/json/parse-json';
import { Refusal } from '../http/errors';
import { TICKET_PARAMETER } from '../auth/principals';

export type Query = Record<string, string | string[] | undefined>;

/** Parameters that are not fields of the input. A tool that has such a field takes its input as JSON. */
const OURS = new Set(['call', 'input', 'agent', TICKET_PARAMETER]);
const MOST_FIELDS = 100;

/** @throws Refusal 400 */
export function askedInQuery(query: Query, versions: readonly { parameters?: unknown }[]): { input: JsonObject; agent?: string } {
  const { input: json, agent } = query;
  const agentField = typeof agent === 'string' ? { agent } : {};
  const fields = Object.entries(query).filter(([name]) => !OURS.has(name));
  if (json === undefined) {
    if (fields.length > MOST_FIELDS) throw bad(`The query has ${fields.length} fields; ${MOST_FIELDS} are allowed.`);
    const schemas = propertiesOf(versions.at(-1)?.parameters);
    return {
      input: Object.fromEntries(fields.map(([name, value]) => [name, coerce(value!, own(schemas, name))])),
      ...agentField,
    };
  }
  if (fields.length > 0) throw bad(`"input" is the whole input: ${JSON.stringify(fields[0]![0].slice(0, 60))} is too much.`);
  return { input: objectOf(String(json)), ...agentField };
}

function objectOf(text: string): JsonObject {
  try {
    const value = parseJson(text);
    if (isJsonObject(value)) return value;
  } catch {
    // reported below
  }
  throw bad('"input" must be one JSON object.');
}

/** A value that does not fit the schema's type stays text: admission reports what is wrong with it. */
function coerce(value: string | string[], schema: JsonObject): Json {
  if (schema.type === 'array') return [value].flat().map((one) => coerce(one, isJsonObject(schema.items) ? schema.items : {}));
  if (typeof value !== 'string') return value;
  if (schema.type === 'number' || schema.type === 'integer') {
    const number = Number(value);
    return /^-?\d/.test(value) && Number.isFinite(number) ? number : value;
  }
  if (schema.type === 'boolean') return value === 'true' || value === 'false' ? value === 'true' : value;
  return value;
}

function propertiesOf(parameters: unknown): JsonObject {
  const { properties } = (parameters ?? {}) as { properties?: Json };
  return properties !== undefined && isJsonObject(properties) ? properties : {};
}

function own(schemas: JsonObject, name: string): JsonObject {
  const schema = Object.hasOwn(schemas, name) ? schemas[name] : undefined;
  return schema !== undefined && isJsonObject(schema) ? schema : {};
}

function bad(message: string): Refusal {
  const hint = 'Each field of the input is a parameter; or give all of it as JSON: ?input={"ticker":"AAPL"}, percent-encoded.';
  return new Refusal({ code: 'INVALID_PARAMS', reason: 'bad_query', message, hint });
}
