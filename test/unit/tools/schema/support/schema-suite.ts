/** The cases of the JSON-Schema-Test-Suite (json-schema-org), made into inputs of tools. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isJsonObject, type Json, type JsonObject } from '../../../../../src/shared/json/json';
import { mapSubschemas } from '../../../../../src/tools/schema/subschemas';

export const DIALECTS = {
  draft7: 'http://json-schema.org/draft-07/schema#',
  'draft2020-12': 'https://json-schema.org/draft/2020-12/schema',
} as const;
export type SuiteDialect = keyof typeof DIALECTS;

export interface Case {
  name: string;
  /** Of type object. */
  input: JsonObject;
  tests: { name: string; data: Json; valid: boolean }[];
}

interface Group {
  description: string;
  schema: Json;
  tests: { description: string; data: Json; valid: boolean }[];
}

/** @param folder a checkout of the suite */
export function cases(folder: string, dialect: SuiteDialect): Case[] {
  const root = join(folder, 'tests', dialect);
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.json'));
  return files.sort().flatMap((file) =>
    (JSON.parse(readFileSync(join(root, file), 'utf8')) as Group[]).map((group) => {
      const asIs = isJsonObject(group.schema) && group.schema.type === 'object';
      return {
        name: `${file}: ${group.description}`,
        input: asIs ? { ...(group.schema as JsonObject), $schema: DIALECTS[dialect] } : wrapped(group.schema, DIALECTS[dialect]),
        tests: group.tests.map(({ description, data, valid }) => ({
          name: description,
          data: asIs ? data : { value: data },
          valid,
        })),
      };
    }),
  );
}

/** As a property; `#/…` inside it still means itself. */
function wrapped(schema: Json, $schema: string): JsonObject {
  const value = isJsonObject(schema) ? settled(schema) : schema;
  return { $schema, type: 'object', properties: { value }, required: ['value'] };
}

/** Its pointers are moved with it; it gets an id of its own if its parts have other names. */
function settled({ $schema: _, ...schema }: JsonObject): JsonObject {
  if (/"\$(id|anchor|dynamicRef|dynamicAnchor)"|"\$ref":"[^#]|"\$ref":"#[^/"]/.test(JSON.stringify(schema)))
    return { $id: 'https://suite.example/case', ...schema };
  const moved = (part: JsonObject): JsonObject => {
    const below = mapSubschemas(part, moved);
    return typeof below.$ref === 'string' ? { ...below, $ref: below.$ref.replace('#', '#/properties/value') } : below;
  };
  return moved(schema);
}
