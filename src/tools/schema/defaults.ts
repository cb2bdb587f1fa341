/**
 * Selects the defaults of a schema that are written into inputs. A default must fit its own schema: a call must never be refused
 * for a field that the model did not send. Defaults in alternatives (`anyOf`, `if` …) are not written, because the value may fit
 * another alternative.
 */
import type { ValidateFunction } from 'ajv';
import type { Json, JsonObject } from '../../shared/json/json';
import { ajvFor, forAjv, dialectOf } from './ajv';
import { visitSchemas, FEW_STEPS, stepsOver, weightOf, type Weight } from './cost';
import { mapSubschemas, resolveLocal, subschemas } from './subschemas';

export interface Defaults {
  /** Defaults that do not fit: JSON pointer to the `default`, and a message with the value. */
  unfit: { path: string; message: string }[];
  /** A copy of the schema with only those defaults that are written into inputs. */
  schema: JsonObject;
}

interface Place {
  /** JSON pointer to the schema that has the default. */
  path: string;
  value: Json;
  /** Whether defaults are written at this place. */
  isField: boolean;
  /** How many schemas check the default: its own and those below. */
  schemas: number;
}

type Fault = string | null;

const defaultsCache = new WeakMap<JsonObject, Defaults>();

/** @param schema a closed input schema; if it does not compile, all its defaults count as fitting */
export function defaultsOf(schema: JsonObject): Defaults {
  const before = defaultsCache.get(schema);
  if (before) return before;
  const places = placesOf(schema);
  const faults = places.length === 0 ? [] : faultsOf(schema, places);
  const fitting = places.filter((_, index) => faults[index] === null);
  const defaults = {
    unfit: places.flatMap(({ path, value }, index) => {
      const fault = faults[index]!;
      return fault === null
        ? []
        : [{ path: `${path}/default`, message: `is ${formatValue(value)}, which does not fit: ${fault}` }];
    }),
    schema: places.length === 0 ? schema : onlyDefaults(schema, pathsOf(fitting.filter(({ isField }) => isField))),
  };
  defaultsCache.set(schema, defaults);
  return defaults;
}

/** A copy without the defaults that do not fit. */
export function withoutUnfit(schema: JsonObject): JsonObject {
  const unfit = new Set(defaultsOf(schema).unfit.map(({ path }) => path));
  const paths = pathsOf(placesOf(schema));
  return onlyDefaults(schema, new Set([...paths].filter((path) => !unfit.has(`${path}/default`))));
}

/** Checks each default alone; then again with the fitting ones filled in: an object's default gets those of its fields. */
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
  let schemaCount = 0;
  const judge = ({ path, value, schemas }: Place): Fault => {
    steps += stepsOver(weight, JSON.stringify(value));
    schemaCount += schemas;
    if (steps > FEW_STEPS || schemaCount > MAX_SCHEMAS) return 'it takes too long to be judged';
    let validate: ValidateFunction | undefined;
    try {
      validate = ajv.getSchema(`${ROOT}#${path.split('/').map(encodeURIComponent).join('/')}`);
    } catch {
      return null; // the schema does not compile, which `compile` reports
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
/** Most schemas that are compiled to check defaults, a third of a millisecond each. An object's default needs all schemas below. */
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

/** All schemas in alternatives, and those that they refer to: they check values that may fit another alternative. */
function inAlternatives(root: JsonObject): ReadonlySet<JsonObject> {
  const schemas = new Set<JsonObject>();
  const add = (schema: JsonObject): void => {
    if (schemas.has(schema)) return;
    schemas.add(schema);
    for (const { schema: below } of subschemas(schema)) add(below);
    const { $ref, $dynamicRef } = schema;
    if (typeof $ref === 'string') add(resolveLocal(root, $ref) ?? root); // a reference by name could lead to any part
    if ($dynamicRef !== undefined) add(root);
  };
  visitSchemas(root, (schema) => {
    for (const { schema: below, keyword } of subschemas(schema)) if (ALTERNATIVES.has(keyword)) add(below);
  });
  return schemas;
}

function onlyDefaults(schema: JsonObject, places: ReadonlySet<string>, at = ''): JsonObject {
  const out = mapSubschemas(schema, (below, _keyword, path) => onlyDefaults(below, places, at + path));
  if (!places.has(at)) delete out.default;
  return out;
}

function pathsOf(places: Place[]): ReadonlySet<string> {
  return new Set(places.map(({ path }) => path));
}

function formatValue(value: Json): string {
  const json = JSON.stringify(value);
  return json.length <= 80 ? json : `${json.slice(0, 79).toWellFormed()}…`;
}
