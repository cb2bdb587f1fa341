/** The one way in which ajv is set up here. Each schema has an ajv of its own: two tools may use one `$id`. */
import Ajv from 'ajv';
import Ajv2020 from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { fullFormats } from 'ajv-formats/dist/formats';
import { type JsonObject, isJsonObject, type Json } from '../../shared/json/json';
import { matcherOf } from './pattern';
import { mapSubschemas, subschemas } from './subschemas';

/** Unknown keywords and formats are faults: a mistyped `maxlength` would check nothing. Types may be left out, as many tools do. */
export const AJV_OPTIONS = {
  allErrors: true,
  strict: true,
  strictRequired: false,
  strictTypes: false,
  strictTuples: false,
  ownProperties: true,
  /** Each is compiled once, however often it is referred to. */
  inlineRefs: false,
} as const;

export interface AjvOptions {
  useDefaults: boolean;
  /** False: what is wrong first is enough; all of it could be millions. */
  allErrors?: boolean;
  /** False: what only its author should know of, such as an unknown keyword, is no fault. */
  strict?: boolean;
}

/** @param schema without `$schema` */
export function ajvFor(dialect: Dialect, schema: JsonObject, options: AjvOptions): Ajv {
  // The meta-schema, which ajv compiles in its own way when it judges with it, is needed only where a schema refers to it.
  const usesMeta = /"\$ref":"https?:\/\/json-schema\.org\//.test(JSON.stringify(schema));
  // Not optimized: that is a third of a compilation, and V8 does the same to what runs often.
  const all = { ...AJV_OPTIONS, ...options, meta: usesMeta, validateSchema: usesMeta, code: { regExp, optimize: false } };
  return addFormats(dialect === '2020-12' ? new Ajv2020(all) : new Ajv(all));
}

/**
 * The schema as ajv can take it. Looking up a schema with `$id` and `$ref`, it goes round for ever; so the reference stands in an
 * `allOf`, which means the same. In draft-07 nothing beside a reference counts, and no name either.
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

/** ajv asks for the name of what makes a matcher only where it writes code to a file, which is done nowhere. */
const regExp = Object.assign(matcherOf, { code: 'matcherOf' });

// Which JSON Schema a schema is written in: what `$schema` says; else 2020-12 when a keyword that only
// it has is used anywhere; else draft-07. A schema that uses words of neither means the same in both.

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

/** @throws Error when `$schema` names another one */
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

// Schemas whose compilation cannot fail: once the meta-schema has passed them, only keywords stand in them of which ajv
// refuses nothing more (of defaults it is given only those that it takes: defaults.ts). They are compiled when they are first used, which is most of what registering a tool would cost.

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
