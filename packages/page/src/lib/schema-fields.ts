/**
 * Turns the JSON Schema of a tool's input into the fields of a form. What a form cannot express becomes a field of raw JSON, so
 * that every value can be written. The schema only shapes the form: the worker checks the value.
 */
import { isJsonObject, type Json, type JsonObject } from '../../../../src/shared/json/json';
import { limitsOf, type Limits } from './field-limits';

interface Common {
  /** Empty: the whole value. */
  name: string;
  title: string;
  description: string | null;
  required: boolean;
  /** The value may be null. */
  nullable: boolean;
}

export type Field = Common &
  (
    | { is: 'text'; long: boolean; format: string | null; limits: Limits }
    | { is: 'number'; integer: boolean; limits: Limits }
    | { is: 'flag' }
    | { is: 'choice'; options: Json[] }
    | { is: 'group'; fields: Field[] }
    | { is: 'list'; item: Field; limits: Limits }
    | { is: 'json' }
  );

/** Deeper parts are raw JSON. */
const MOST_LEVELS = 5;
/** So that no schema makes a form that nobody can use. */
const MOST_FIELDS = 60;

export function fieldOf(schema: Json, name = '', required = true): Field {
  return read(schema, { name, required, level: 0, root: schema });
}

interface Place {
  name: string;
  required: boolean;
  level: number;
  root: Json;
}

function read(schema: Json, place: Place): Field {
  const { name, required, level } = place;
  const raw: Field = { is: 'json', name, title: name, description: null, required, nullable: false };
  if (!isJsonObject(schema)) return raw;
  const target = refersTo(schema, place.root);
  if (target !== null)
    return level > MOST_LEVELS ? raw : read({ ...target, ...without(schema, '$ref') }, { ...place, level: level + 1 });
  const nullable = withoutNull(schema);
  const shape = nullable ?? schema;
  const title = textAt(shape, 'title') ?? name;
  const common = {
    ...raw,
    title,
    description: textAt(schema, 'description') ?? textAt(shape, 'description'),
    nullable: nullable !== null,
  };
  const options = optionsOf(shape);
  if (options !== null) return { ...common, is: 'choice', options };
  switch (shape.type) {
    case 'string':
      return {
        ...common,
        is: 'text',
        long: Number(shape.maxLength ?? 0) > 200 || (shape.maxLength === undefined && !('format' in shape)),
        format: textAt(shape, 'format'),
        limits: limitsOf(shape),
      };
    case 'integer':
    case 'number':
      return {
        ...common,
        is: 'number',
        integer: shape.type === 'integer',
        limits: limitsOf(shape),
      };
    case 'boolean':
      return { ...common, is: 'flag' };
    case 'array':
      if (level >= MOST_LEVELS || !isJsonObject(shape.items)) return common;
      return {
        ...common,
        is: 'list',
        item: read(shape.items, { ...place, name: '', required: true, level: level + 1 }),
        limits: limitsOf(shape),
      };
    case 'object':
      return groupOf(shape, place, common);
    default:
      return common;
  }
}

function groupOf(shape: JsonObject, place: Place, common: Field): Field {
  const properties = shape.properties;
  if (place.level >= MOST_LEVELS || !isJsonObject(properties)) return common;
  const names = Object.keys(properties);
  if (names.length === 0 || names.length > MOST_FIELDS) return common;
  const needed = Array.isArray(shape.required) ? shape.required : [];
  const fields = names.map((name) =>
    read(properties[name]!, { ...place, name, required: needed.includes(name), level: place.level + 1 }),
  );
  return { ...common, is: 'group', fields };
}

/** The schema beside `null`, of `{type: [X, "null"]}` and `{anyOf: [X, {type: "null"}]}`; null: it is no such schema. */
function withoutNull(schema: JsonObject): JsonObject | null {
  if (Array.isArray(schema.type) && schema.type.length === 2 && schema.type.includes('null'))
    return { ...schema, type: schema.type.find((type) => type !== 'null')! };
  const { anyOf } = schema;
  if (!Array.isArray(anyOf) || anyOf.length !== 2) return null;
  const isNull = (part: Json) => isJsonObject(part) && part.type === 'null';
  const other = anyOf.find((part) => !isNull(part));
  return anyOf.some(isNull) && isJsonObject(other) ? { ...without(schema, 'anyOf'), ...other } : null;
}

/** Only what stands in the same document is followed. */
function refersTo(schema: JsonObject, root: Json): JsonObject | null {
  if (typeof schema.$ref !== 'string' || !schema.$ref.startsWith('#/')) return null;
  let found: Json | undefined = root;
  for (const part of schema.$ref.slice(2).split('/')) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
    found = isJsonObject(found) && Object.hasOwn(found, name) ? found[name] : undefined;
  }
  return isJsonObject(found) ? found : null;
}

function optionsOf(shape: JsonObject): Json[] | null {
  if (Object.hasOwn(shape, 'const')) return [shape.const!];
  const options = shape.enum;
  return Array.isArray(options) && options.length > 0 && options.every((one) => typeof one !== 'object') ? options : null;
}

function textAt(schema: JsonObject, key: string): string | null {
  const value = schema[key];
  return typeof value === 'string' && value !== '' ? value : null;
}

function without(schema: JsonObject, key: string): JsonObject {
  const { [key]: _, ...rest } = schema;
  return rest;
}
