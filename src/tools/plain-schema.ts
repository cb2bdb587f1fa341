/**
 * Schemas whose compilation cannot fail: once the meta-schema has passed them, only keywords stand in them of which ajv
 * refuses nothing more. They are compiled when they are first used, which is most of what registering a tool would cost.
 */
import { fullFormats } from 'ajv-formats/dist/formats';
import { isJsonObject, type Json, type JsonObject } from '../shared/json';
import { matcherOf } from './pattern';

/** Say nothing that could be refused. */
const HARMLESS = new Set([
  'type', 'required', 'const', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf', 'minLength',
  'maxLength', 'minItems', 'maxItems', 'uniqueItems', 'minProperties', 'maxProperties', 'title', 'description', 'examples',
]); // prettier-ignore
const ONE = ['items', 'additionalProperties'];
const LISTS = ['anyOf', 'oneOf', 'allOf'];

/** @param schema one that its meta-schema has passed; a doubt counts as no */
export function compilesForSure(schema: JsonObject): boolean {
  return schema.default === undefined && plain(schema, false);
}

/** @param choice in a list of alternatives, where ajv refuses defaults */
function plain(schema: Json | undefined, choice: boolean): boolean {
  if (typeof schema === 'boolean') return true;
  if (!isJsonObject(schema)) return false;
  return Object.entries(schema).every(([keyword, value]) => {
    if (HARMLESS.has(keyword)) return true;
    if (keyword === 'default') return !choice;
    if (keyword === 'enum') return Array.isArray(value) && value.length > 0;
    if (keyword === 'format') return typeof value === 'string' && Object.hasOwn(fullFormats, value);
    if (keyword === 'pattern') return typeof value === 'string' && isPattern(value);
    if (keyword === 'properties') {
      return isJsonObject(value) && Object.entries(value).every(([name, one]) => name !== '__proto__' && plain(one, choice));
    }
    if (ONE.includes(keyword)) return plain(value, choice);
    return LISTS.includes(keyword) && Array.isArray(value) && value.length > 0 && value.every((one) => plain(one, true));
  });
}

function isPattern(pattern: string): boolean {
  try {
    matcherOf(pattern);
    return true;
  } catch {
    return false;
  }
}
