/**
 * Schemas whose compilation cannot fail: once the meta-schema has passed them, only keywords stand in them of which ajv
 * refuses nothing more (of defaults it is given only those that it takes: defaults.ts). They are compiled when they are first used, which is most of what registering a tool would cost.
 */
import { fullFormats } from 'ajv-formats/dist/formats';
import { isJsonObject, type Json } from '../shared/json';
import { matcherOf } from './pattern';

/** Say nothing that could be refused. */
const HARMLESS = new Set([
  'type', 'required', 'const', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf', 'minLength',
  'maxLength', 'minItems', 'maxItems', 'uniqueItems', 'minProperties', 'maxProperties', 'title', 'description', 'examples', 'default',
]); // oxfmt-ignore
const ONE = ['items', 'additionalProperties'];
const LISTS = ['anyOf', 'oneOf', 'allOf'];

/** @param schema one that its meta-schema has passed; a doubt counts as no */
export function compilesForSure(schema: Json | undefined): boolean {
  if (typeof schema === 'boolean') return true;
  if (!isJsonObject(schema)) return false;
  return Object.entries(schema).every(([keyword, value]) => {
    if (HARMLESS.has(keyword)) return true;
    if (keyword === 'enum') return Array.isArray(value) && value.length > 0;
    if (keyword === 'format') return typeof value === 'string' && Object.hasOwn(fullFormats, value);
    if (keyword === 'pattern') return typeof value === 'string' && isPattern(value);
    if (keyword === 'properties') {
      return isJsonObject(value) && Object.entries(value).every(([name, one]) => name !== '__proto__' && compilesForSure(one));
    }
    if (ONE.includes(keyword)) return compilesForSure(value);
    return LISTS.includes(keyword) && Array.isArray(value) && value.length > 0 && value.every((one) => compilesForSure(one));
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
