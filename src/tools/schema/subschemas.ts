/** Where JSON Schema (draft-07 and 2020-12) holds further schemas: for whoever has to walk one. */
import { isJsonObject, type Json, type JsonObject } from '../../shared/json/json';

/** Keywords whose value names schemas; their keys are the author's own words. */
const SCHEMA_MAPS = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas', 'dependencies']);
const SCHEMA_LISTS = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems', 'items']);
const SINGLE = new Set([
  'items',
  'additionalItems',
  'unevaluatedItems',
  'contains',
  'additionalProperties',
  'unevaluatedProperties',
  'propertyNames',
  'not',
  'if',
  'then',
  'else',
  'contentSchema',
]);

/** @param path JSON pointer from the schema that holds it */
export type Change = (schema: JsonObject, keyword: string, path: string) => Json;

/** A copy with each schema directly below replaced; boolean schemas and everything else stay as they are. */
export function mapSubschemas(schema: JsonObject, change: Change): JsonObject {
  return Object.fromEntries(Object.entries(schema).map(([keyword, value]) => [keyword, mapKeyword(keyword, value, change)]));
}

export interface Below {
  schema: JsonObject;
  keyword: string;
  path: string;
}

/** The schemas directly below. */
export function subschemas(schema: JsonObject): Below[] {
  const found: Below[] = [];
  mapSubschemas(schema, (below, keyword, path) => {
    found.push({ schema: below, keyword, path });
    return below;
  });
  return found;
}

function mapKeyword(keyword: string, value: Json, change: Change): Json {
  const visit = (below: Json, path: string) => (isJsonObject(below) ? change(below, keyword, path) : below);
  if (SCHEMA_MAPS.has(keyword) && isJsonObject(value)) {
    const entries = Object.entries(value).map(([name, below]) => [name, visit(below, `/${keyword}/${escapePointer(name)}`)]);
    return Object.fromEntries(entries) as JsonObject; // not by assignment: a name may be __proto__
  }
  if (SCHEMA_LISTS.has(keyword) && Array.isArray(value)) return value.map((below, index) => visit(below, `/${keyword}/${index}`));
  return SINGLE.has(keyword) ? visit(value, `/${keyword}`) : value;
}

/** One token of a JSON pointer (RFC 6901). */
function escapePointer(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** What a reference inside the same document points at; undefined where it is no JSON pointer, or points at nothing. */
export function resolveLocal(root: JsonObject, ref: string): JsonObject | undefined {
  const pointer = localPointer(ref);
  if (pointer === undefined) return undefined;
  let at: Json | undefined = root;
  for (const token of pointer.split('/').slice(1)) {
    const name = token.replaceAll('~1', '/').replaceAll('~0', '~');
    at = typeof at === 'object' && at !== null && Object.hasOwn(at, name) ? (at as JsonObject)[name] : undefined;
  }
  return at !== undefined && isJsonObject(at) ? at : undefined;
}

/** `#/$defs/a` → `/$defs/a`; undefined for anchors and for other documents. */
export function localPointer(ref: string): string | undefined {
  if (!/^#(\/|$)/.test(ref)) return undefined;
  try {
    return decodeURIComponent(ref.slice(1));
  } catch {
    return undefined;
  }
}
