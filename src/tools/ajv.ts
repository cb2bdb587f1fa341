/** The one way in which ajv is set up here. Each schema has an ajv of its own: two tools may use one `$id`. */
import Ajv from 'ajv';
import Ajv2020 from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import type { JsonObject } from '../shared/json';
import type { Dialect } from './dialect';
import { matcherOf } from './pattern';
import { mapSubschemas } from './subschemas';

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
