/** Finds and replaces the direct subschemas of a JSON Schema (draft-07 and 2020-12), and resolves local references. */
import { isJsonObject, type Json, type JsonObject } from '../../shared/json/json';

/** Keywords whose value maps names to schemas; the author chooses the names. */
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

/** Copies a schema with each direct subschema replaced; boolean schemas and everything else stay unchanged. */
export function mapSubschemas(schema: JsonObject, change: Change): JsonObject {
  return Object.fromEntries(Object.entries(schema).map(([keyword, value]) => [keyword, mapKeyword(keyword, value, change)]));
}

export interface Below {
  schema: JsonObject;
  keyword: string;
  path: string;
}

/** The direct subschemas, without boolean schemas. */
export function subschemas(schema: JsonObject): Below[] {
  const children: Below[] = [];
  mapSubschemas(schema, (below, keyword, path) => {
    children.push({ schema: below, keyword, path });
    return below;
  });
  return children;
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

/** The schema that a reference in the same document points to; undefined where it is no JSON pointer, or has no target. */
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
