/** Sets up ajv for a schema, and finds the schema's dialect. Each schema gets its own ajv: two tools may use the same `$id`. */
import Ajv from 'ajv';
import Ajv2020 from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { fullFormats } from 'ajv-formats/dist/formats';
import { type JsonObject, isJsonObject, type Json } from '../../shared/json/json';
import { matcherOf } from './pattern';
import { mapSubschemas, subschemas } from './subschemas';

/** Unknown keywords and formats are faults: a misspelled `maxlength` would check nothing. `type` may be missing, as it often is. */
export const AJV_OPTIONS = {
  allErrors: true,
  strict: true,
  strictRequired: false,
  strictTypes: false,
  strictTuples: false,
  ownProperties: true,
  /** False: each referenced schema is compiled only once. */
  inlineRefs: false,
} as const;

export interface AjvOptions {
  useDefaults: boolean;
  /** False: only the first error is reported; there could be millions. */
  allErrors?: boolean;
  /** False: problems that concern only the schema's author, such as an unknown keyword, are no faults. */
  strict?: boolean;
}

/** @param schema without `$schema` */
export function ajvFor(dialect: Dialect, schema: JsonObject, options: AjvOptions): Ajv {
  // ajv compiles the meta-schema when it validates with it; that is needed only where a schema refers to it.
  const usesMeta = /"\$ref":"https?:\/\/json-schema\.org\//.test(JSON.stringify(schema));
  // Not optimized: that takes a third of a compilation, and V8 optimizes code that runs often.
  const all = { ...AJV_OPTIONS, ...options, meta: usesMeta, validateSchema: usesMeta, code: { regExp, optimize: false } };
  return addFormats(dialect === '2020-12' ? new Ajv2020(all) : new Ajv(all));
}

/**
 * Rewrites a schema for ajv, which never ends the lookup of a schema with both `$id` and `$ref`: the reference moves into an
 * `allOf`, which means the same. In draft-07 keywords beside a reference are ignored, so `$id` is removed.
 */
export function forAjv(schema: JsonObject, dialect: Dialect): JsonObject {
  return mapSubschemas(schema, (below) => {
    const one = forAjv(below, dialect);
    if (one.$id === undefined || one.$ref === undefined) return one;
    const { $id, $ref, ...rest } = one;
    if (dialect === 'draft-07') return { ...rest, $ref };
    return { ...rest, $id, allOf: [...(Array.isArray(rest.allOf) ? rest.allOf : []), { $ref }] };
  });
}

/** ajv reads `code` only when it writes generated code to a file, which happens nowhere here. */
const regExp = Object.assign(matcherOf, { code: 'matcherOf' });

// The dialect of a schema: the one that `$schema` names; else 2020-12 if the schema has a keyword that exists only there;
// else draft-07. A schema without such keywords means the same in both.

export type Dialect = 'draft-07' | '2020-12';

const ONLY_2020 = [
  '$defs',
  '$anchor',
  '$dynamicRef',
  '$dynamicAnchor',
  'prefixItems',
  'unevaluatedItems',
  'unevaluatedProperties',
  'dependentSchemas',
  'dependentRequired',
  'minContains',
  'maxContains',
];
const NAMES: Record<string, Dialect> = {
  'json-schema.org/draft-07/schema': 'draft-07',
  'json-schema.org/draft/2020-12/schema': '2020-12',
};

/** @throws Error when `$schema` names another dialect */
export function dialectOf(schema: JsonObject): Dialect {
  const { $schema } = schema;
  if ($schema === undefined) return uses2020(schema) ? '2020-12' : 'draft-07';
  const name = typeof $schema === 'string' ? $schema.replace(/^https?:\/\//, '').replace(/#$/, '') : '';
  if (Object.hasOwn(NAMES, name)) return NAMES[name]!;
  throw new Error(
    `$schema ${JSON.stringify($schema).slice(0, 200)} is not supported; write draft-07 or 2020-12 (${Object.keys(NAMES).join(', ')})`,
  );
}

function uses2020(schema: JsonObject): boolean {
  return (
    ONLY_2020.some((keyword) => Object.hasOwn(schema, keyword)) || subschemas(schema).some((below) => uses2020(below.schema))
  );
}

// Schemas whose compilation cannot fail: the meta-schema has accepted them, and ajv has no further objections to their keywords
// (defaults.ts removes defaults that ajv would refuse). They are compiled at first use, which saves most of the cost of
// registering a tool.

/** Keywords that ajv never refuses once the meta-schema has accepted them. */
const HARMLESS = new Set([
  'type', 'required', 'const', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf', 'minLength',
  'maxLength', 'minItems', 'maxItems', 'uniqueItems', 'minProperties', 'maxProperties', 'title', 'description', 'examples', 'default',
]); // oxfmt-ignore
const ONE = ['items', 'additionalProperties'];
const LISTS = ['anyOf', 'oneOf', 'allOf'];

/** True only if compilation certainly succeeds. @param schema one that its meta-schema has accepted */
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
