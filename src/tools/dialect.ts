/**
 * Which JSON Schema a schema is written in: what `$schema` says; else 2020-12 when a keyword that only
 * it has is used anywhere; else draft-07. A schema that uses words of neither means the same in both.
 */
import type { JsonObject } from '../shared/json';
import { subschemas } from './subschemas';

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
