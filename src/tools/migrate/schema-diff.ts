/**
 * Compares two JSON Schemas as sets of valid values. A change narrows the set (some valid value becomes invalid), widens it
 * (the other way round), or both. One comparison serves both directions: a narrower input breaks callers, a wider output breaks
 * readers. Where the sets cannot be compared by keyword (conditions, tuples, `oneOf`…), a difference counts as both: the
 * comparison may report "breaking" too often, but never too rarely.
 */
import { sameJson } from './same-json';
import { isJsonObject, type Json, type JsonObject } from '../../shared/json/json';
import { similarity } from '../../shared/text/similar';
import { ANNOTATIONS, mapSchema, resolveRef, step } from '../convert/schema-tree';

export type SchemaChangeKind =
  | 'removed'
  | 'added'
  | 'renamed'
  | 'retyped'
  | 'newly_required'
  | 'no_longer_required'
  | 'enum'
  | 'range'
  | 'length'
  | 'pattern'
  | 'format'
  | 'extra_properties'
  | 'shape'
  | 'default'
  | 'description';

export interface SchemaChange {
  kind: SchemaChangeKind;
  /** JSON pointer into the values, not the schema: `/filters/0/name` is written as `/filters/[]/name`. */
  path: string;
  what: string;
  narrowed: boolean;
  widened: boolean;
}

type Schema = Json | undefined;
type Effect = 'narrowed' | 'widened' | 'both' | 'none';

interface ComparisonState {
  oldRoot: JsonObject;
  newRoot: JsonObject;
  changes: SchemaChange[];
  /** Pairs whose comparison is in progress: a recursive schema leads back to itself. */
  open: [Json, Json][];
  /** The comparison is inside anyOf, where defaults are not filled in. */
  combined: boolean;
}

/** Changes from `old` to `next`, outermost first. Empty: valid values, defaults and descriptions are the same. */
export function schemaChanges(old: JsonObject, next: JsonObject): SchemaChange[] {
  const compared: ComparisonState = { oldRoot: old, newRoot: next, changes: [], open: [], combined: false };
  compare(compared, old, next, '');
  return compared.changes;
}

const BOUNDS: [string, 'lower' | 'upper', SchemaChangeKind][] = [
  ['minimum', 'lower', 'range'],
  ['exclusiveMinimum', 'lower', 'range'],
  ['maximum', 'upper', 'range'],
  ['exclusiveMaximum', 'upper', 'range'],
  ['minLength', 'lower', 'length'],
  ['maxLength', 'upper', 'length'],
  ['minItems', 'lower', 'length'],
  ['maxItems', 'upper', 'length'],
  ['minProperties', 'lower', 'length'],
  ['maxProperties', 'upper', 'length'],
];
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
  if ('$ref' in old || '$ref' in next) opaque(to, old, next, ['$ref'], path);
  const values = compareTypes(to, old, next, path);
  if (values !== 'apart') {
    compareChoices(to, old, next, path);
    for (const bound of BOUNDS) compareBoundKeyword(to, old, next, bound, path);
    compareMultiples(to, old, next, path);
    compareSwitch(to, old, next, 'pattern', 'pattern', path);
    compareSwitch(to, old, next, 'format', 'format', path);
    if ((old.uniqueItems ?? false) !== (next.uniqueItems ?? false)) {
      say(
        to,
        'shape',
        path,
        next.uniqueItems ? 'items must differ from each other' : 'items may be equal',
        next.uniqueItems ? 'narrowed' : 'widened',
      );
    }
    compareProperties(to, old, next, path);
    compareItems(to, old, next, path);
    compareAnyOf(to, old, next, path);
    for (const bundle of BUNDLES) opaque(to, old, next, bundle, path);
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
  const narrowed = next === false || old === true;
  say(to, 'shape', path, `took ${says(old)}, takes ${says(next)}`, narrowed ? 'narrowed' : 'widened');
}

function compareWords(to: ComparisonState, old: JsonObject, next: JsonObject, path: string): void {
  if (!sameJson(old.default, next.default)) {
    say(to, 'default', path, `default ${show(old.default)} → ${show(next.default)}`, 'none');
  }
  if (old.description !== next.description || old.title !== next.title) say(to, 'description', path, 'described anew', 'none');
}

const TYPES = ['null', 'boolean', 'string', 'number', 'integer', 'array', 'object'];

function typesOf(schema: JsonObject): Set<string> {
  const said =
    schema.type === undefined ? TYPES : Array.isArray(schema.type) ? (schema.type as string[]) : [schema.type as string];
  return new Set(said.includes('number') ? [...said, 'integer'] : said);
}

function compareTypes(to: ComparisonState, old: JsonObject, next: JsonObject, path: string): 'apart' | 'meet' {
  const before = typesOf(old);
  const after = typesOf(next);
  const gone = [...before].filter((type) => !after.has(type));
  const come = [...after].filter((type) => !before.has(type));
  if (gone.length === 0 && come.length === 0) return 'meet';
  const apart = gone.length === before.size;
  say(to, 'retyped', path, `type ${show(old.type)} → ${show(next.type)}`, effect(gone.length > 0, come.length > 0));
  return apart ? 'apart' : 'meet';
}

function choicesOf(schema: JsonObject): Json[] | null {
  if ('const' in schema && !('enum' in schema)) return [schema.const as Json];
  return Array.isArray(schema.enum) && !('const' in schema) ? schema.enum : null;
}

function compareChoices(to: ComparisonState, old: JsonObject, next: JsonObject, path: string): void {
  if ([old, next].some((schema) => 'const' in schema && 'enum' in schema))
    return opaque(to, old, next, ['enum', 'const'], path, 'enum');
  const before = choicesOf(old);
  const after = choicesOf(next);
  if (before === null && after === null) return;
  if (before === null) return say(to, 'enum', path, `only ${show(after)} now`, 'narrowed');
  if (after === null) return say(to, 'enum', path, `no longer only ${show(before)}`, 'widened');
  const gone = before.filter((value) => !after.some((other) => sameJson(value, other)));
  const come = after.filter((value) => !before.some((other) => sameJson(value, other)));
  if (gone.length + come.length === 0) return;
  const texts = [...gone.map((value) => `without ${show(value)}`), ...come.map((value) => `with ${show(value)}`)];
  say(to, 'enum', path, `choices ${texts.join(', ')}`, effect(gone.length > 0, come.length > 0));
}

function compareBoundKeyword(
  to: ComparisonState,
  old: JsonObject,
  next: JsonObject,
  bound: (typeof BOUNDS)[number],
  path: string,
): void {
  const [keyword, side, kind] = bound;
  const before = old[keyword] as number | undefined;
  const after = next[keyword] as number | undefined;
  if (before === after) return;
  const open = side === 'lower' ? -Infinity : Infinity;
  const grew = (after ?? open) > (before ?? open);
  const effect = grew === (side === 'lower') ? 'narrowed' : 'widened';
  say(to, kind, path, `${keyword} ${show(before)} → ${show(after)}`, effect);
}

function compareMultiples(to: ComparisonState, old: JsonObject, next: JsonObject, path: string): void {
  const before = old.multipleOf as number | undefined;
  const after = next.multipleOf as number | undefined;
  if (before === after) return;
  const fits = (whole: number, part: number) => Number.isInteger(whole) && Number.isInteger(part) && whole % part === 0;
  const effect =
    before === undefined
      ? 'narrowed'
      : after === undefined || fits(before, after)
        ? 'widened'
        : fits(after, before)
          ? 'narrowed'
          : 'both';
  say(to, 'range', path, `multipleOf ${show(before)} → ${show(after)}`, effect);
}

/** Compares a keyword whose values cannot be ordered: it was added, removed or replaced. */
function compareSwitch(
  to: ComparisonState,
  old: JsonObject,
  next: JsonObject,
  keyword: string,
  kind: SchemaChangeKind,
  path: string,
): void {
  if (old[keyword] === next[keyword]) return;
  const effect = old[keyword] === undefined ? 'narrowed' : next[keyword] === undefined ? 'widened' : 'both';
  say(to, kind, path, `${keyword} ${show(old[keyword])} → ${show(next[keyword])}`, effect);
}

function compareProperties(to: ComparisonState, old: JsonObject, next: JsonObject, path: string): void {
  const before = (old.properties ?? {}) as JsonObject;
  const after = (next.properties ?? {}) as JsonObject;
  if (!sameText(to, old, next, ['patternProperties'])) {
    say(to, 'shape', path, 'other patternProperties', 'both');
    return;
  }
  const patterns = Object.keys((old.patternProperties ?? {}) as JsonObject).length > 0;
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    compareProperty(to, { old, next, name, patterns }, step(path, name));
  }
  compareExtra(to, old.additionalProperties, next.additionalProperties, path);
  compareRequiredFields(to, old, next, path);
  nameRenames(to, before, after, path);
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
  if (patterns) return say(to, kind, path, `${kind}, beside patternProperties`, 'both');
  if (other === false)
    return say(to, kind, path, kind === 'added' ? 'new' : 'no longer there', kind === 'added' ? 'widened' : 'narrowed');
  const inner: ComparisonState = { ...to, changes: [] };
  compare(inner, before ?? other, after ?? other, path);
  const narrowed = inner.changes.some((change) => change.narrowed);
  const widened = inner.changes.some((change) => change.widened);
  const what = kind === 'added' ? 'new; callers could send anything under this name' : 'no longer described';
  say(to, kind, path, what, effect(narrowed, widened));
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
  say(
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
    const filled = !to.combined && isJsonObject(property) && 'default' in property;
    const what = filled ? `required now; its default ${show(property.default)} fills it in` : 'required now';
    say(to, 'newly_required', step(path, name), what, filled ? 'none' : 'narrowed');
  }
  for (const name of before.filter((each) => !after.includes(each))) {
    say(to, 'no_longer_required', step(path, name), 'may be left out now', 'widened');
  }
}

function compareItems(to: ComparisonState, old: JsonObject, next: JsonObject, path: string): void {
  const tuples = [old, next].some(
    (schema) => 'prefixItems' in schema || Array.isArray(schema.items) || 'additionalItems' in schema,
  );
  if (tuples) return opaque(to, old, next, ['prefixItems', 'items', 'additionalItems'], path);
  if (old.items === undefined && next.items === undefined) return;
  compare(to, old.items, next.items, `${path}/[]`);
}

/** More branches are wider, fewer narrower. One changed branch is compared; several cannot be matched with each other. */
function compareAnyOf(to: ComparisonState, old: JsonObject, next: JsonObject, path: string): void {
  const before = old.anyOf as Json[] | undefined;
  const after = next.anyOf as Json[] | undefined;
  if (before === undefined && after === undefined) return;
  if (before === undefined || after === undefined) {
    return say(
      to,
      'shape',
      path,
      before ? 'no longer one of several shapes' : 'one of several shapes now',
      before ? 'widened' : 'narrowed',
    );
  }
  const equal = (a: Json, b: Json) => equalTo(to, a, b);
  const gone = before.filter((branch) => !after.some((other) => equal(branch, other)));
  const come = after.filter((branch) => !before.some((other) => equal(branch, other)));
  if (gone.length === 1 && come.length === 1) return compare({ ...to, combined: true }, gone[0], come[0], path);
  if (gone.length + come.length === 0) return;
  say(
    to,
    'shape',
    path,
    `${gone.length} of its shapes are gone, ${come.length} are new`,
    effect(gone.length > 0, come.length > 0),
  );
}

/** `unevaluated…` depends on all keywords beside it, so any other change of the same schema may matter. */
function compareUnevaluatedParts(to: ComparisonState, old: JsonObject, next: JsonObject, path: string): void {
  const has = [old, next].some((schema) => 'unevaluatedProperties' in schema || 'unevaluatedItems' in schema);
  if (has && !equalTo(to, old, next)) say(to, 'shape', path, 'what it counts as evaluated may differ', 'both');
}

function opaque(
  to: ComparisonState,
  old: JsonObject,
  next: JsonObject,
  keywords: string[],
  path: string,
  kind: SchemaChangeKind = 'shape',
): void {
  if (sameText(to, old, next, keywords)) return;
  say(to, kind, path, `${keywords.filter((key) => key in old || key in next).join(', ')}: cannot be compared`, 'both');
}

function sameText(to: ComparisonState, old: JsonObject, next: JsonObject, keywords: string[]): boolean {
  const only = (schema: JsonObject) => Object.fromEntries(Object.entries(schema).filter(([key]) => keywords.includes(key)));
  return equalTo(to, only(old), only(next));
}

/** Equal except for annotations. Schemas with a reference are equal only if both documents are equal as a whole. */
function equalTo(to: ComparisonState, a: Json, b: Json): boolean {
  if (!sameJson(silent(a), silent(b))) return false;
  if (!JSON.stringify(a).includes('"$ref"')) return true;
  return sameJson(silent(to.oldRoot), silent(to.newRoot));
}

function silent(schema: Json): Json {
  if (!isJsonObject(schema)) return schema;
  return mapSchema(schema, (each) => Object.fromEntries(Object.entries(each).filter(([key]) => !ANNOTATIONS.has(key))));
}

/** Reports a removed and an added property as a rename, if the schemas are equal and the names or descriptions similar. */
function nameRenames(to: ComparisonState, before: JsonObject, after: JsonObject, path: string): void {
  const gone = to.changes.filter((change) => change.kind === 'removed' && isIn(change.path, path, before));
  for (const removed of gone) {
    const from = lastOf(removed.path);
    const candidates = to.changes
      .filter((change) => change.kind === 'added' && isIn(change.path, path, after))
      .map((change) => ({ change, alike: alike(to, from, before[from]!, lastOf(change.path), after[lastOf(change.path)]!) }))
      .filter((candidate) => candidate.alike >= ALIKE)
      .sort((a, b) => b.alike - a.alike);
    const added = candidates[0]?.change;
    if (!added) continue;
    to.changes.splice(to.changes.indexOf(added), 1);
    removed.kind = 'renamed';
    removed.what = `probably renamed to ${lastOf(added.path)}`;
    removed.widened ||= added.widened;
    removed.narrowed ||= added.narrowed;
  }
}

const ALIKE = 0.5;

function alike(to: ComparisonState, from: string, old: Json, name: string, next: Json): number {
  if (!equalTo(to, old, next)) return 0;
  const words = (schema: Json) => (isJsonObject(schema) && typeof schema.description === 'string' ? schema.description : '');
  const described = words(old) !== '' && words(next) !== '' ? similarity(words(old), words(next)) : 0;
  return Math.max(similarity(from, name), described);
}

function isIn(changed: string, path: string, properties: JsonObject): boolean {
  const name = lastOf(changed);
  return Object.hasOwn(properties, name) && changed === step(path, name);
}

function lastOf(path: string): string {
  return path
    .slice(path.lastIndexOf('/') + 1)
    .replace(/~1/g, '/')
    .replace(/~0/g, '~');
}

function say(to: ComparisonState, kind: SchemaChangeKind, path: string, what: string, how: Effect): void {
  to.changes.push({
    kind,
    path,
    what,
    narrowed: how === 'narrowed' || how === 'both',
    widened: how === 'widened' || how === 'both',
  });
}

function effect(narrowed: boolean, widened: boolean): Effect {
  return narrowed && widened ? 'both' : narrowed ? 'narrowed' : widened ? 'widened' : 'none';
}

function show(value: Json | undefined): string {
  if (value === undefined) return 'none';
  const text = JSON.stringify(value);
  return text.length <= 100 ? text : `${text.slice(0, 99).toWellFormed()}…`;
}
