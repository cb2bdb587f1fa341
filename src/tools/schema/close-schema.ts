/**
 * Closes schemas: an object schema that lists its properties then refuses all others, unless it declares otherwise. Closing must
 * not change the meaning of a combination: no value would satisfy an `allOf` of two closed objects. So a combination is closed
 * only as a whole, to the properties that any of its parts lists; its parts stay unchanged.
 */
import { isJsonObject, type Json, type JsonObject } from '../../shared/json/json';
import { localPointer, mapSubschemas, resolveLocal, subschemas } from './subschemas';

/** Keywords whose schemas check the same value again. */
const IN_PLACE = ['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else', 'dependentSchemas', 'dependencies', '$ref'];
/** Keywords that decide about further properties. */
const OPEN = ['additionalProperties', 'unevaluatedProperties', 'patternProperties', 'propertyNames'];
/** Keywords that have no effect beside a reference. */
const ANNOTATIONS = ['$ref', 'title', 'description', 'default', 'examples', 'deprecated', 'readOnly', 'writeOnly', '$comment'];
/** Keywords for references that are not JSON pointers. */
const FAR = ['$dynamicRef', '$dynamicAnchor', '$recursiveRef', '$recursiveAnchor'];

/** Returns a closed copy of a schema. */
export function closeSchema(root: JsonObject): JsonObject {
  if (hasFarReferences(root)) return refersToItself(root) ? root : strict(root, root, true);
  return close(root, root, '', true, sharedPlaces(root));
}

function close(
  root: JsonObject,
  schema: JsonObject,
  at: string,
  plain: boolean,
  sharedPointers: ReadonlySet<string>,
): JsonObject {
  const alone = plain && !sharedPointers.has(at);
  const apart = alone && partsAreDisjoint(root, schema);
  const out = mapSubschemas(schema, (below, keyword, path) =>
    close(root, below, at + path, mayCloseChild(keyword, alone, apart), sharedPointers),
  );
  return alone ? strict(root, out, at === '') : out;
}

/** Whether a subschema may be closed. Definitions may, unless shared. `contains` and `propertyNames` only select values. */
function mayCloseChild(keyword: string, alone: boolean, apart: boolean): boolean {
  if (keyword === '$defs' || keyword === 'definitions') return true;
  if (keyword === 'contains' || keyword === 'propertyNames') return false;
  return alone && apart;
}

function strict(root: JsonObject, schema: JsonObject, isRoot: boolean): JsonObject {
  const parts = [...inPlace(root, schema)];
  const names = listedNames(parts);
  const isDecided = OPEN.some((keyword) => Object.hasOwn(schema, keyword));
  if (isDecided || isOpen(schema) || !mayBeObject(root, schema) || !listsRequiredFields(parts, names)) return schema;
  if (!isCombined(schema)) {
    const lists = isJsonObject(schema.properties ?? null) || (isRoot && schema.minProperties === undefined);
    return lists ? { ...schema, additionalProperties: false } : schema;
  }
  const closedByParts = partsAreDisjoint(root, schema);
  if (closedByParts || parts.some(isOpen) || !listsProperties(root, schema) || names.length === 0) return schema;
  const properties = { ...Object.fromEntries(names.map((name) => [name, {}])), ...(schema.properties as JsonObject | undefined) };
  return { ...schema, properties, additionalProperties: false };
}

/** True if the schema declares which further properties it allows; or lists `__proto__`, which ajv never sees. */
function isOpen(schema: JsonObject): boolean {
  const { properties } = schema;
  return (
    OPEN.some((keyword) => Object.hasOwn(schema, keyword) && schema[keyword] !== false) ||
    (isJsonObject(properties ?? null) && Object.hasOwn(properties as JsonObject, '__proto__'))
  );
}

function isCombined(schema: JsonObject): boolean {
  return IN_PLACE.some((keyword) => Object.hasOwn(schema, keyword));
}

/** True if each value is checked by only one of the schema's parts: closing every part then does not change the meaning. */
function partsAreDisjoint(root: JsonObject, schema: JsonObject): boolean {
  if (overlap(schema)) return false;
  if (!isCombined(schema)) return true;
  if (isReference(schema)) return true;
  const [keyword, ...others] = IN_PLACE.filter((name) => Object.hasOwn(schema, name));
  if (others.length > 0 || (keyword !== 'anyOf' && keyword !== 'oneOf') || Object.hasOwn(schema, 'properties')) return false;
  const branches = (schema[keyword] as Json[]).map((branch) => (isJsonObject(branch) ? followRef(root, branch) : {}));
  return typesDiffer(branches) || isDiscriminated(branches);
}

/** True if two of its parts may check the same property or item. */
function overlap({ properties, patternProperties, contains }: JsonObject): boolean {
  const patterns = Object.keys((patternProperties as JsonObject | undefined) ?? {}).length;
  return contains !== undefined || patterns > (properties === undefined ? 1 : 0);
}

function isReference(schema: JsonObject): boolean {
  return Object.hasOwn(schema, '$ref') && Object.keys(schema).every((keyword) => ANNOTATIONS.includes(keyword));
}

function followRef(root: JsonObject, schema: JsonObject): JsonObject {
  return (isReference(schema) && resolveLocal(root, String(schema.$ref))) || schema;
}

/** True if each value fits at most one branch, by its type. */
function typesDiffer(branches: JsonObject[]): boolean {
  const types = branches.flatMap(({ type }) => type ?? 'any').map((type) => (type === 'integer' ? 'number' : type));
  return !types.includes('any') && new Set(types).size === types.length;
}

/** True if each value fits at most one branch, by a required property that has a different constant in each. */
function isDiscriminated(branches: JsonObject[]): boolean {
  const constantOf = (branch: JsonObject, name: string) => {
    const property = isJsonObject(branch.properties ?? null) && (branch.properties as JsonObject)[name];
    const isRequired = Array.isArray(branch.required) && branch.required.includes(name);
    return property && isJsonObject(property) && isRequired && typeof property.const === 'string' ? property.const : undefined;
  };
  const names = Object.keys((branches[0]?.properties as JsonObject | undefined) ?? {});
  return names.some((name) => {
    const values = branches.map((branch) => constantOf(branch, name));
    return !values.includes(undefined) && new Set(values).size === values.length;
  });
}

function mayBeObject(root: JsonObject, schema: JsonObject): boolean {
  const { type } = followRef(root, schema);
  if (type !== undefined) return Array.isArray(type) ? type.includes('object') : type === 'object';
  if (Object.hasOwn(schema, 'const')) return isJsonObject(schema.const!);
  return !Array.isArray(schema.enum) || schema.enum.some(isJsonObject);
}

/** True if a list of properties describes every object that fits: no alternative allows arbitrary objects. */
function listsProperties(root: JsonObject, schema: JsonObject, visitedSchemas: readonly JsonObject[] = []): boolean {
  if (visitedSchemas.includes(schema) || Object.hasOwn(schema, 'properties') || !mayBeObject(root, schema)) return true;
  const within = (branch: Json) => isJsonObject(branch) && listsProperties(root, branch, [...visitedSchemas, schema]);
  const { $ref, allOf, anyOf, oneOf } = schema;
  const target = typeof $ref === 'string' ? resolveLocal(root, $ref) : undefined;
  return (
    (target !== undefined && within(target)) ||
    (Array.isArray(allOf) && allOf.some(within)) ||
    (Array.isArray(anyOf) && anyOf.every(within)) ||
    (Array.isArray(oneOf) && oneOf.every(within))
  );
}

/** The schemas that check the same value: this one and those that it combines, also through references. */
function inPlace(root: JsonObject, schema: JsonObject, visitedSchemas = new Set<JsonObject>()): Set<JsonObject> {
  if (visitedSchemas.has(schema)) return visitedSchemas;
  visitedSchemas.add(schema);
  if (typeof schema.$ref === 'string') {
    const target = resolveLocal(root, schema.$ref);
    if (target) inPlace(root, target, visitedSchemas);
  }
  for (const below of subschemas(schema)) if (IN_PLACE.includes(below.keyword)) inPlace(root, below.schema, visitedSchemas);
  return visitedSchemas;
}

function listedNames(parts: JsonObject[]): string[] {
  return [...new Set(parts.flatMap(({ properties }) => Object.keys((properties as JsonObject | undefined) ?? {})))];
}

/** True if every required property is listed. Closing would make an unlisted one impossible. */
function listsRequiredFields(parts: JsonObject[], names: string[]): boolean {
  const requiredNames = parts.flatMap(({ required, dependentRequired, dependencies }) => [
    ...(Array.isArray(required) ? required : []),
    ...Object.values({ ...(dependentRequired as JsonObject), ...(dependencies as JsonObject) }).flatMap((value) =>
      Array.isArray(value) ? value : [],
    ),
  ]);
  return requiredNames.every((name) => names.includes(String(name)));
}

/** Pointers to the schemas that a combination refers to, directly or indirectly: they are part of it, and are not closed. */
function sharedPlaces(root: JsonObject): ReadonlySet<string> {
  const pointers = new Set<string>();
  const visit = (schema: JsonObject, at: string, plain: boolean): void => {
    const alone = plain && !pointers.has(at);
    const apart = alone && partsAreDisjoint(root, schema);
    const pointer = typeof schema.$ref === 'string' ? localPointer(schema.$ref) : undefined;
    if (pointer !== undefined && !(apart && isReference(schema))) pointers.add(pointer);
    for (const below of subschemas(schema)) visit(below.schema, at + below.path, mayCloseChild(below.keyword, alone, apart));
  };
  for (let before = -1; before < pointers.size;) {
    before = pointers.size;
    visit(root, '', true);
  }
  return pointers;
}

function hasFarReferences(schema: JsonObject, isRoot = true): boolean {
  const ref = schema.$ref;
  return (
    FAR.some((keyword) => Object.hasOwn(schema, keyword)) ||
    (!isRoot && typeof schema.$id === 'string') ||
    (typeof ref === 'string' && localPointer(ref) === undefined) ||
    subschemas(schema).some((below) => hasFarReferences(below.schema, false))
  );
}

/** Whether a reference may lead to the whole document, by any of its names. */
function refersToItself(root: JsonObject): boolean {
  const own = ['#', `#${String(root.$anchor)}`];
  const refers = (schema: JsonObject): boolean =>
    FAR.some((keyword) => Object.hasOwn(schema, keyword)) ||
    (typeof schema.$ref === 'string' && (own.includes(schema.$ref) || !schema.$ref.startsWith('#'))) ||
    subschemas(schema).some((below) => refers(below.schema));
  return refers(root);
}
