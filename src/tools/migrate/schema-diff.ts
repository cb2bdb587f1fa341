/**
 * Compares two JSON Schemas as sets of valid values. A change narrows the set (some valid value becomes invalid), widens it
 * (the other way round), or both. One comparison serves both directions: a narrower input breaks callers, a wider output breaks
 * readers. Where the sets cannot be compared by keyword (conditions, tuples, `oneOf`…), a difference counts as both: the
 * comparison may report "breaking" too often, but never too rarely.
 */
import { sameJson } from './same-json';
import { isJsonObject, type Json, type JsonObject } from '../../shared/json/json';
import { ANNOTATIONS, resolveRef, step } from '../convert/schema-tree';
import {
  effect,
  equalTo,
  findRenames,
  compareAsWhole,
  sameText,
  addChange,
  show,
  type ComparisonState,
  type SchemaChange,
} from './schema-changes';
import { compareTypes, compareValue } from './value-keywords';

type Schema = Json | undefined;

/** Changes from `old` to `next`, outermost first. Empty: valid values, defaults and descriptions are the same. */
export function schemaChanges(old: JsonObject, next: JsonObject): SchemaChange[] {
  const state: ComparisonState = { oldRoot: old, newRoot: next, changes: [], open: [], combined: false };
  compare(state, old, next, '');
  return state.changes;
}

/** Keywords that are compared as one value, because they have a meaning only together. */
const BUNDLES: string[][] = [
  ['if', 'then', 'else'],
  ['contains', 'minContains', 'maxContains'],
  ['not'],
  ['propertyNames'],
  ['dependentRequired'],
  ['dependentSchemas'],
  ['dependencies'],
  ['unevaluatedProperties'],
  ['unevaluatedItems'],
  ['allOf'],
  ['oneOf'],
];

function compare(to: ComparisonState, oldSchema: Schema, newSchema: Schema, path: string): void {
  const old = followRef(to.oldRoot, oldSchema);
  const next = followRef(to.newRoot, newSchema);
  if (typeof old === 'boolean' || typeof next === 'boolean') return compareBooleans(to, old, next, path);
  if (to.open.some(([a, b]) => a === old && b === next)) return;
  to.open.push([old, next]);
  compareWords(to, old, next, path);
  if ('$ref' in old || '$ref' in next) compareAsWhole(to, old, next, ['$ref'], path);
  const values = compareTypes(to, old, next, path);
  if (values !== 'apart') {
    compareValue(to, old, next, path);
    compareProperties(to, old, next, path);
    compareItems(to, old, next, path);
    compareAnyOf(to, old, next, path);
    for (const bundle of BUNDLES) compareAsWhole(to, old, next, bundle, path);
    compareUnevaluatedParts(to, old, next, path);
  }
  to.open.pop();
}

/** Follows a schema that is only a reference. A reference with siblings stays: draft-07 and 2020-12 disagree about it. */
function followRef(root: JsonObject, schema: Schema): JsonObject | boolean {
  let at: Schema = schema ?? true;
  for (let hops = 0; hops < 50; hops++) {
    if (!isJsonObject(at) || typeof at.$ref !== 'string') break;
    if (Object.keys(at).some((key) => key !== '$ref' && !ANNOTATIONS.has(key) && key !== '$defs' && key !== 'definitions')) break;
    const target = resolveRef(root, at.$ref);
    if (target === undefined) break;
    at = target;
  }
  if (isJsonObject(at)) return Object.keys(at).length === 0 ? true : at;
  return at === false ? false : true;
}

function compareBooleans(to: ComparisonState, old: JsonObject | boolean, next: JsonObject | boolean, path: string): void {
  if (old === next) return;
  const says = (schema: JsonObject | boolean) =>
    schema === true ? 'anything' : schema === false ? 'nothing' : 'only some values';
  const silent = [old, next].some((schema) => isJsonObject(schema) && Object.keys(schema).every((key) => ANNOTATIONS.has(key)));
  if (silent && old !== false && next !== false) return;
  const isNarrowed = next === false || old === true;
  addChange(to, 'shape', path, `took ${says(old)}, takes ${says(next)}`, isNarrowed ? 'narrowed' : 'widened');
}

function compareWords(to: ComparisonState, old: JsonObject, next: JsonObject, path: string): void {
  if (!sameJson(old.default, next.default)) {
    addChange(to, 'default', path, `default ${show(old.default)} → ${show(next.default)}`, 'none');
  }
  if (old.description !== next.description || old.title !== next.title)
    addChange(to, 'description', path, 'described anew', 'none');
}

function compareProperties(to: ComparisonState, old: JsonObject, next: JsonObject, path: string): void {
  const before = (old.properties ?? {}) as JsonObject;
  const after = (next.properties ?? {}) as JsonObject;
  if (!sameText(to, old, next, ['patternProperties'])) {
    addChange(to, 'shape', path, 'other patternProperties', 'both');
    return;
  }
  const patterns = Object.keys((old.patternProperties ?? {}) as JsonObject).length > 0;
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    compareProperty(to, { old, next, name, patterns }, step(path, name));
  }
  compareExtra(to, old.additionalProperties, next.additionalProperties, path);
  compareRequiredFields(to, old, next, path);
  findRenames(to, before, after, path);
}

interface Property {
  old: JsonObject;
  next: JsonObject;
  name: string;
  patterns: boolean;
}

function compareProperty(to: ComparisonState, { old, next, name, patterns }: Property, path: string): void {
  const own = (schema: JsonObject) => {
    const properties = (schema.properties ?? {}) as JsonObject;
    return Object.hasOwn(properties, name) ? properties[name] : undefined;
  };
  const before = own(old);
  const after = own(next);
  if (before !== undefined && after !== undefined) return compare(to, before, after, path);
  const kind = before === undefined ? 'added' : 'removed';
  // What the version without this property allows under its name: further properties, or nothing.
  const other = (before === undefined ? old : next).additionalProperties ?? true;
  if (patterns) return addChange(to, kind, path, `${kind}, beside patternProperties`, 'both');
  if (other === false)
    return addChange(to, kind, path, kind === 'added' ? 'new' : 'no longer there', kind === 'added' ? 'widened' : 'narrowed');
  const inner: ComparisonState = { ...to, changes: [] };
  compare(inner, before ?? other, after ?? other, path);
  const isNarrowed = inner.changes.some((change) => change.narrowed);
  const isWidened = inner.changes.some((change) => change.widened);
  const what = kind === 'added' ? 'new; callers could send anything under this name' : 'no longer described';
  addChange(to, kind, path, what, effect(isNarrowed, isWidened));
}

function compareExtra(to: ComparisonState, old: Schema, next: Schema, path: string): void {
  const before = old ?? true;
  const after = next ?? true;
  const schemas = isJsonObject(before) && isJsonObject(after);
  if (schemas) return compare(to, before, after, `${path}/*`);
  const inner: ComparisonState = { ...to, changes: [] };
  compare(inner, before, after, path);
  const [change] = inner.changes;
  if (!change) return;
  const says = (schema: Json) => (schema === true ? 'taken' : schema === false ? 'refused' : 'taken if they fit');
  addChange(
    to,
    'extra_properties',
    path,
    `further properties were ${says(before)}, are ${says(after)}`,
    effect(change.narrowed, change.widened),
  );
}

function compareRequiredFields(to: ComparisonState, old: JsonObject, next: JsonObject, path: string): void {
  const before = (old.required ?? []) as string[];
  const after = (next.required ?? []) as string[];
  for (const name of after.filter((each) => !before.includes(each))) {
    const properties = (next.properties ?? {}) as JsonObject;
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
    const hasDefault = !to.combined && isJsonObject(property) && 'default' in property;
    const what = hasDefault ? `required now; its default ${show(property.default)} fills it in` : 'required now';
    addChange(to, 'newly_required', step(path, name), what, hasDefault ? 'none' : 'narrowed');
  }
  for (const name of before.filter((each) => !after.includes(each))) {
    addChange(to, 'no_longer_required', step(path, name), 'may be left out now', 'widened');
  }
}

function compareItems(to: ComparisonState, old: JsonObject, next: JsonObject, path: string): void {
  const tuples = [old, next].some(
    (schema) => 'prefixItems' in schema || Array.isArray(schema.items) || 'additionalItems' in schema,
  );
  if (tuples) return compareAsWhole(to, old, next, ['prefixItems', 'items', 'additionalItems'], path);
  if (old.items === undefined && next.items === undefined) return;
  compare(to, old.items, next.items, `${path}/[]`);
}

/** More branches are wider, fewer narrower. One changed branch is compared; several cannot be matched with each other. */
function compareAnyOf(to: ComparisonState, old: JsonObject, next: JsonObject, path: string): void {
  const before = old.anyOf as Json[] | undefined;
  const after = next.anyOf as Json[] | undefined;
  if (before === undefined && after === undefined) return;
  if (before === undefined || after === undefined) {
    return addChange(
      to,
      'shape',
      path,
      before ? 'no longer one of several shapes' : 'one of several shapes now',
      before ? 'widened' : 'narrowed',
    );
  }
  const equal = (a: Json, b: Json) => equalTo(to, a, b);
  const removals = before.filter((branch) => !after.some((other) => equal(branch, other)));
  const come = after.filter((branch) => !before.some((other) => equal(branch, other)));
  if (removals.length === 1 && come.length === 1) return compare({ ...to, combined: true }, removals[0], come[0], path);
  if (removals.length + come.length === 0) return;
  addChange(
    to,
    'shape',
    path,
    `${removals.length} of its shapes are gone, ${come.length} are new`,
    effect(removals.length > 0, come.length > 0),
  );
}

/** `unevaluated…` depends on all keywords beside it, so any other change of the same schema may matter. */
function compareUnevaluatedParts(to: ComparisonState, old: JsonObject, next: JsonObject, path: string): void {
  const has = [old, next].some((schema) => 'unevaluatedProperties' in schema || 'unevaluatedItems' in schema);
  if (has && !equalTo(to, old, next)) addChange(to, 'shape', path, 'what it counts as evaluated may differ', 'both');
}
