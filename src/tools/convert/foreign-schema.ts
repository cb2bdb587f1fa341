/**
 * Cleans JSON Schemas from other programs so that they can be compiled beside our own: no reference leaves the document, no
 * name reaches the compiler's registry, and keywords that our dialect does not know are dropped and reported as losses.
 */
import { isJsonObject, type Json, type JsonObject } from '../../shared/json/json';
import { defaultsOf, withoutUnfit } from '../schema/defaults';
import { isLinear } from '../schema/pattern';
import { compile, inputSchema } from '../schema/schema';
import { visitSchemas, FEW_PATTERNS, FEW_SCHEMAS, isSmall } from '../schema/cost';
import type { Loss } from './conversion';
import { KEYWORDS, mapSchema, resolveRef, step } from './schema-tree';
import { errorMessage } from '../../shared/text/error-message';

const DIALECTS = /^(https:\/\/json-schema\.org\/draft\/2020-12\/schema|http:\/\/json-schema\.org\/draft-07\/schema)#?$/;
/** Keywords that name a schema, or look one up by name. In the compiler's registry they could reach other tools' schemas. */
const BY_NAME = ['$id', 'id', '$anchor', '$dynamicAnchor', '$dynamicRef', '$recursiveAnchor', '$recursiveRef', '$vocabulary'];

/**
 * Cleans an input schema and closes it against extra properties.
 * @param path JSON pointer to the schema
 * @returns the closed schema; its faults and losses are added to the lists
 */
export function foreignInput(schema: Json | undefined, path: string, faults: string[], losses: Loss[]): JsonObject {
  const open = foreignSchema(schema, path, faults, losses);
  if (faults.length > 0) return open;
  const closedSchema = inputSchema(open);
  if (JSON.stringify(closedSchema) !== JSON.stringify(open)) {
    losses.push({ path, what: 'said nothing about further properties; here they are refused' });
  }
  losses.push(
    ...defaultsOf(closedSchema).unfit.map((fault) => ({ path: path + fault.path, what: `a default that ${fault.message}` })),
  );
  return withoutUnfit(closedSchema);
}

/** As {@link foreignInput}, but not closed against extra properties: for outputs. */
export function foreignSchema(schema: Json | undefined, path: string, faults: string[], losses: Loss[]): JsonObject {
  if (!isJsonObject(schema)) {
    faults.push(`${path} must be a JSON Schema of type "object", not ${JSON.stringify(schema)?.slice(0, 40)}`);
    return {};
  }
  if (schema.type !== 'object') {
    faults.push(`${path}/type is ${JSON.stringify(schema.type) ?? 'missing'}; it must be "object"`);
    return {};
  }
  if (!isSmall(schema)) {
    faults.push(`${path} has more than ${FEW_SCHEMAS} schemas in it, or more than ${FEW_PATTERNS} patterns`);
    return {};
  }
  const result = mapSchema(withoutName(schema, path, losses), (each, at) =>
    cleanSchema(each, path + at, faults, losses),
  ) as JsonObject;
  const places = new Set<Json>();
  visitSchemas(result, (each) => places.add(each));
  mapSchema(result, (each, at) => {
    const fault = refFault(result, each.$ref, places);
    if (fault) faults.push(`${path}${at}/$ref ${fault}`);
    return each;
  });
  if (faults.length === 0) {
    try {
      compile(result);
    } catch (error) {
      faults.push(`${path} is not a usable schema: ${errorMessage(error)}`);
    }
  }
  return result;
}

/** Removes `$id` of the whole document, which has no effect inside it. An unknown dialect is read as draft-07. */
function withoutName(schema: JsonObject, path: string, losses: Loss[]): JsonObject {
  const { $id, $schema, ...rest } = schema;
  if ($id !== undefined) losses.push({ path: step(path, '$id'), what: 'the name of the schema' });
  if ($schema === undefined || (typeof $schema === 'string' && DIALECTS.test($schema))) {
    return $schema === undefined ? rest : { $schema, ...rest };
  }
  losses.push({ path: step(path, '$schema'), what: `the dialect ${JSON.stringify($schema).slice(0, 100)}; read as draft-07` });
  return rest;
}

function cleanSchema(schema: JsonObject, path: string, faults: string[], losses: Loss[]): JsonObject {
  const out: JsonObject = {};
  for (const [key, value] of Object.entries(schema)) {
    const at = step(path, key);
    if (BY_NAME.includes(key)) faults.push(`${at}: schemas are not looked up by name; point to "#/$defs/…"`);
    else if (!KEYWORDS.has(key))
      losses.push({ path: at, what: `the keyword ${JSON.stringify(key.slice(0, 60))}, which is unknown here` });
    else if (key === 'pattern' && typeof value === 'string' && !isLinear(value)) losses.push(notLinear(at));
    else if (key === 'patternProperties' && isJsonObject(value) && !Object.keys(value).every(isLinear))
      losses.push(notLinear(at));
    else out[key] = value;
  }
  return out;
}

function notLinear(path: string): Loss {
  return {
    path,
    what: 'a pattern with look-around, back-references or very many repetitions, which cannot be matched in linear time',
  };
}

/** @param places the document's schemas: a reference into an example or a default reaches what was not cleaned or counted */
function refFault(root: JsonObject, ref: Json | undefined, places: ReadonlySet<Json>): string | null {
  if (ref === undefined) return null;
  if (typeof ref !== 'string') return 'is not text';
  const quote = JSON.stringify(ref.slice(0, 100));
  if (!ref.startsWith('#')) return `${quote} leaves the document: nothing is fetched; put the schema under "$defs"`;
  const target = resolveRef(root, ref);
  if (target === undefined) return `${quote} points to nothing in the document`;
  return typeof target === 'boolean' || places.has(target) ? null : `${quote} points to what is no schema; put it under "$defs"`;
}
