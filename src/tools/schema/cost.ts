/**
 * Estimates how many steps a schema takes at most to check a value: cheap checks run on the worker's thread, others in a separate
 * thread. Without recursion each subschema checks each place of a value once. In a cycle of references, several subschemas may
 * check a place for each one that checks the place above, so that steps multiply with each level of depth. Patterns count by the
 * size of their RE2 program.
 */
import { isJsonObject, type JsonObject } from '../../shared/json/json';
import { programSize } from './pattern';
import { resolveRef } from '../convert/schema-tree';
import { subschemas } from './subschemas';

/** A few tenths of a second, measured: RE2 makes 80 million steps a second, and ajv as many. */
export const FEW_STEPS = 10_000_000;
/** A reported fault takes a microsecond and 250 bytes, and one answer of a model may have 64 calls. */
export const FEW_FAULTS = 30_000;
/** ajv takes half a millisecond to compile each schema, and longer where there are thousands. */
export const FEW_SCHEMAS = 1000;
export const FEW_PATTERNS = 100;

export interface Weight {
  /** Steps that the schema takes at one place of a value. */
  looks: number;
  /** How many schemas of a cycle may check one place, for each that checks the place above; 1 without cycles. */
  growth: number;
  /** It has `uniqueItems`, which compares each item with all others. */
  unique: boolean;
}

export function weightOf(root: JsonObject): Weight {
  const weight: Weight = { looks: 0, growth: 1, unique: false };
  let cyclic = false;
  const looks = memoize(
    (schema: JsonObject, of): number => {
      if (schema.uniqueItems === true) weight.unique = true;
      const own = 1 + (Array.isArray(schema.enum) ? schema.enum.length : 0) + sum(patternsOf(schema).map(programSize));
      return own + sum([...subschemas(schema).map((below) => below.schema), ...targetOf(root, schema)].map(of));
    },
    () => {
      cyclic = true;
      return 0;
    },
  );
  const growth = memoize(
    (schema: JsonObject, of): number => {
      const here = subschemas(schema).filter(({ keyword }) => SAME_PLACE.has(keyword));
      return placesBelow(schema) + sum([...here.map((below) => below.schema), ...targetOf(root, schema)].map(of));
    },
    () => Infinity,
  );
  weight.looks = looks(root);
  visitSchemas(root, (schema) => {
    if (cyclic) weight.growth = Math.max(weight.growth, growth(schema));
  });
  return weight;
}

/** Keywords whose schemas check the same place as the schema that contains them. */
const SAME_PLACE = new Set(['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else', 'dependentSchemas', 'dependencies']);
const ONE_BELOW = [
  'properties',
  'items',
  'prefixItems',
  'additionalItems',
  'unevaluatedItems',
  'contains',
  'additionalProperties',
  'unevaluatedProperties',
  'propertyNames',
];

/** How many direct parts of a schema may check the same child of a value. */
function placesBelow(schema: JsonObject): number {
  const { patternProperties } = schema;
  const patterns = isJsonObject(patternProperties) ? Object.keys(patternProperties).length : 0;
  return patterns + ONE_BELOW.filter((keyword) => typeof schema[keyword] === 'object').length;
}

function targetOf(root: JsonObject, { $ref }: JsonObject): JsonObject[] {
  const target = typeof $ref === 'string' ? resolveRef(root, $ref) : undefined;
  return isJsonObject(target) ? [target] : [];
}

/** @param again the result for a schema that is reached within itself */
function memoize(make: (schema: JsonObject, of: (schema: JsonObject) => number) => number, again: () => number) {
  const costs = new Map<JsonObject, number>();
  const open = new Set<JsonObject>();
  const of = (schema: JsonObject): number => {
    const cost = costs.get(schema);
    if (cost !== undefined) return cost;
    if (open.has(schema)) return again();
    open.add(schema);
    const value = make(schema, of);
    open.delete(schema);
    costs.set(schema, value);
    return value;
  };
  return of;
}

/** Visits the schema itself and every schema in it. */
export function visitSchemas(schema: JsonObject, visit: (schema: JsonObject) => void): void {
  visit(schema);
  for (const below of subschemas(schema)) visitSchemas(below.schema, visit);
}

/** Number of schemas in it, itself included. */
export function countSchemas(schema: JsonObject): number {
  let schemas = 0;
  visitSchemas(schema, () => (schemas += 1));
  return schemas;
}

/** Maximum steps; `Infinity` where no bound is known. */
export function stepsOver({ looks, growth, unique }: Weight, json: string): number {
  const places = json.length * (unique ? json.length : 1);
  return looks * places * (growth <= 1 ? 1 : growth ** shapeOf(json).depth);
}

/** Maximum number of faults. It depends on the number of places in the value, not on the length of its texts. */
export function faultsOver({ looks, growth }: Weight, json: string): number {
  const { places, depth } = shapeOf(json);
  return looks * places * (growth <= 1 ? 1 : growth ** depth);
}

function patternsOf({ pattern, patternProperties }: JsonObject): string[] {
  const names = isJsonObject(patternProperties) ? Object.keys(patternProperties) : [];
  return typeof pattern === 'string' ? [pattern, ...names] : names;
}

/** Counts the places in a JSON text, and their greatest depth. The content of strings does not count. */
function shapeOf(json: string): { places: number; depth: number } {
  let places = 1;
  let depth = 0;
  let deepest = 0;
  let inText = false;
  for (let at = 0; at < json.length; at++) {
    const char = json[at]!;
    if (inText) {
      if (char === '\\') at += 1;
      else if (char === '"') inText = false;
    } else if (char === '"') inText = true;
    else if (char === '{' || char === '[') {
      places += 1;
      deepest = Math.max(deepest, ++depth);
    } else if (char === ',' || char === ':') places += 1;
    else if (char === '}' || char === ']') depth -= 1;
  }
  return { places, depth: deepest };
}

const sum = (numbers: number[]): number => numbers.reduce((total, one) => total + one, 0);

/** Whether a schema from another program is small enough to be compiled on the worker's thread, which sends the heartbeats. */
export function isSmall(schema: JsonObject): boolean {
  let schemas = 0;
  let patterns = 0;
  const look = (one: JsonObject): boolean => {
    schemas += 1;
    patterns += patternsOf(one).length;
    return schemas <= FEW_SCHEMAS && patterns <= FEW_PATTERNS && subschemas(one).every((below) => look(below.schema));
  };
  return look(schema);
}
