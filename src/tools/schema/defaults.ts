/**
 * Defaults: which are written into an input. Only one that fits its own schema: a call must never be refused for a field that
 * nobody sent. And none in an alternative (`anyOf`, `if` …), which would write it for a value that fits another one.
 */
import type { ValidateFunction } from 'ajv';
import type { Json, JsonObject } from '../../shared/json/json';
import { ajvFor, forAjv, dialectOf } from './ajv';
import { eachBelow, FEW_STEPS, stepsOver, weightOf, type Weight } from './cost';
import { mapSubschemas, resolveLocal, subschemas } from './subschemas';

export interface Defaults {
  /** Those that do not fit: JSON pointer to each `default`, and what is wrong, with the value. */
  unfit: { path: string; message: string }[];
  /** A copy with no defaults but those that are written in. */
  written: JsonObject;
}

interface Place {
  /** JSON pointer to the schema that has the default. */
  path: string;
  value: Json;
  /** It stands where defaults are written in. */
  isField: boolean;
  /** How many schemas judge it, itself among them. */
  schemas: number;
}

type Fault = string | null;

const defaultsCache = new WeakMap<JsonObject, Defaults>();

/** @param schema of an input, closed; what cannot be compiled is left as it is */
export function defaultsOf(schema: JsonObject): Defaults {
  const before = defaultsCache.get(schema);
  if (before) return before;
  const places = placesOf(schema);
  const faults = places.length === 0 ? [] : faultsOf(schema, places);
  const fitting = places.filter((_, index) => faults[index] === null);
  const made = {
    unfit: places.flatMap(({ path, value }, index) => {
      const fault = faults[index]!;
      return fault === null
        ? []
        : [{ path: `${path}/default`, message: `is ${formatValue(value)}, which does not fit: ${fault}` }];
    }),
    written: places.length === 0 ? schema : onlyDefaults(schema, pathsOf(fitting.filter(({ isField }) => isField))),
  };
  defaultsCache.set(schema, made);
  return made;
}

/** A copy without those defaults that do not fit. */
export function withoutUnfit(schema: JsonObject): JsonObject {
  const unfit = new Set(defaultsOf(schema).unfit.map(({ path }) => path));
  const paths = pathsOf(placesOf(schema));
  return onlyDefaults(schema, new Set([...paths].filter((path) => !unfit.has(`${path}/default`))));
}

/** Judged as they stand first; then, as an object's default takes in those of its fields, with those that fit so far. */
function faultsOf(schema: JsonObject, places: Place[]): Fault[] {
  const plainly = judgeDefaults(schema, places, false);
  if (places.every(({ value }) => typeof value !== 'object' || value === null)) return plainly;
  const fitting = places.filter(({ isField }, index) => isField && plainly[index] === null);
  return judgeDefaults(onlyDefaults(schema, pathsOf(fitting)), places, true);
}

function judgeDefaults(schema: JsonObject, places: Place[], useDefaults: boolean): Fault[] {
  const { $schema: _, ...rest } = schema;
  const dialect = dialectOf(schema);
  const ajv = ajvFor(dialect, rest, { useDefaults, allErrors: false, strict: false });
  let weight: Weight;
  let steps = 0;
  let compiled = 0;
  const judge = ({ path, value, schemas }: Place): Fault => {
    steps += stepsOver(weight, JSON.stringify(value));
    compiled += schemas;
    if (steps > FEW_STEPS || compiled > MAX_SCHEMAS) return 'it takes too long to be judged';
    let validate: ValidateFunction | undefined;
    try {
      validate = ajv.getSchema(`${ROOT}#${path.split('/').map(encodeURIComponent).join('/')}`);
    } catch {
      return null; // the whole does not compile, which is said elsewhere
    }
    return validate === undefined ? null : faultOf(validate, structuredClone(value));
  };
  try {
    weight = weightOf(rest);
    ajv.addSchema(forAjv(rest, dialect), ROOT);
  } catch {
    return places.map(() => null); // as above
  }
  return places.map(judge);
}

const ROOT = 'root';
/** Schemas that are compiled to judge defaults: a default of an object has all that is below it compiled, a third of a millisecond each. */
const MAX_SCHEMAS = 2000;

function faultOf(validate: ValidateFunction, value: Json): Fault {
  try {
    if (validate(value)) return null;
    const [first] = validate.errors ?? [];
    return `${first?.instancePath ?? ''} ${first?.message ?? 'it is refused'}`.trim().slice(0, 300).toWellFormed();
  } catch (error) {
    if (error instanceof RangeError) return 'it never ends';
    throw error;
  }
}

function placesOf(root: JsonObject): Place[] {
  const alternatives = inAlternatives(root);
  const places: Place[] = [];
  const visit = (schema: JsonObject, path: string, isField: boolean): number => {
    const place = { path, value: schema.default!, isField: isField && !alternatives.has(schema), schemas: 1 };
    if (Object.hasOwn(schema, 'default')) places.push(place);
    for (const { schema: below, keyword, path: step } of subschemas(schema))
      place.schemas += visit(
        below,
        path + step,
        keyword === 'properties' || (keyword === 'items' && Array.isArray(schema.items)),
      );
    return place.schemas;
  };
  visit(root, '', false);
  return places;
}

const ALTERNATIVES = new Set(['anyOf', 'oneOf', 'not', 'if', 'contains', 'propertyNames']);

/** All schemas in alternatives, and those that they refer to: such a definition judges values that may turn out to be others. */
function inAlternatives(root: JsonObject): ReadonlySet<JsonObject> {
  const found = new Set<JsonObject>();
  const add = (schema: JsonObject): void => {
    if (found.has(schema)) return;
    found.add(schema);
    for (const { schema: below } of subschemas(schema)) add(below);
    const { $ref, $dynamicRef } = schema;
    if (typeof $ref === 'string') add(resolveLocal(root, $ref) ?? root); // by name it could be anything in it
    if ($dynamicRef !== undefined) add(root);
  };
  eachBelow(root, (schema) => {
    for (const { schema: below, keyword } of subschemas(schema)) if (ALTERNATIVES.has(keyword)) add(below);
  });
  return found;
}

function onlyDefaults(schema: JsonObject, kept: ReadonlySet<string>, at = ''): JsonObject {
  const out = mapSubschemas(schema, (below, _keyword, path) => onlyDefaults(below, kept, at + path));
  if (!kept.has(at)) delete out.default;
  return out;
}

function pathsOf(places: Place[]): ReadonlySet<string> {
  return new Set(places.map(({ path }) => path));
}

function formatValue(value: Json): string {
  const json = JSON.stringify(value);
  return json.length <= 80 ? json : `${json.slice(0, 79).toWellFormed()}…`;
}
