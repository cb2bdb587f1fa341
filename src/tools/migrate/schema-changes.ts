/** The changes between two schemas: their list, when two parts count as equal, and which two changes are one rename. */
import { sameJson } from './same-json';
import { isJsonObject, type Json, type JsonObject } from '../../shared/json/json';
import { similarity } from '../../shared/text/similar';
import { ANNOTATIONS, mapSchema, step } from '../convert/schema-tree';

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

export type Effect = 'narrowed' | 'widened' | 'both' | 'none';

export interface ComparisonState {
  oldRoot: JsonObject;
  newRoot: JsonObject;
  changes: SchemaChange[];
  /** Pairs whose comparison is in progress: a recursive schema leads back to itself. */
  open: [Json, Json][];
  /** The comparison is inside anyOf, where defaults are not filled in. */
  combined: boolean;
}

export function addChange(to: ComparisonState, kind: SchemaChangeKind, path: string, what: string, how: Effect): void {
  to.changes.push({
    kind,
    path,
    what,
    narrowed: how === 'narrowed' || how === 'both',
    widened: how === 'widened' || how === 'both',
  });
}

export function effect(isNarrowed: boolean, isWidened: boolean): Effect {
  return isNarrowed && isWidened ? 'both' : isNarrowed ? 'narrowed' : isWidened ? 'widened' : 'none';
}

export function show(value: Json | undefined): string {
  if (value === undefined) return 'none';
  const text = JSON.stringify(value);
  return text.length <= 100 ? text : `${text.slice(0, 99).toWellFormed()}…`;
}

/** Keywords that cannot be compared one by one: any difference counts as both. */
export function compareAsWhole(
  to: ComparisonState,
  old: JsonObject,
  next: JsonObject,
  keywords: string[],
  path: string,
  kind: SchemaChangeKind = 'shape',
): void {
  if (sameText(to, old, next, keywords)) return;
  addChange(to, kind, path, `${keywords.filter((key) => key in old || key in next).join(', ')}: cannot be compared`, 'both');
}

export function sameText(to: ComparisonState, old: JsonObject, next: JsonObject, keywords: string[]): boolean {
  const only = (schema: JsonObject) => Object.fromEntries(Object.entries(schema).filter(([key]) => keywords.includes(key)));
  return equalTo(to, only(old), only(next));
}

/** Equal except for annotations. Schemas with a reference are equal only if both documents are equal as a whole. */
export function equalTo(to: ComparisonState, a: Json, b: Json): boolean {
  if (!sameJson(silent(a), silent(b))) return false;
  if (!JSON.stringify(a).includes('"$ref"')) return true;
  return sameJson(silent(to.oldRoot), silent(to.newRoot));
}

function silent(schema: Json): Json {
  if (!isJsonObject(schema)) return schema;
  return mapSchema(schema, (each) => Object.fromEntries(Object.entries(each).filter(([key]) => !ANNOTATIONS.has(key))));
}

/** Reports a removed and an added property as a rename, if the schemas are equal and the names or descriptions similar. */
export function findRenames(to: ComparisonState, before: JsonObject, after: JsonObject, path: string): void {
  const removals = to.changes.filter((change) => change.kind === 'removed' && isIn(change.path, path, before));
  for (const removal of removals) {
    const from = lastOf(removal.path);
    const candidates = to.changes
      .filter((change) => change.kind === 'added' && isIn(change.path, path, after))
      .map((change) => ({ change, alike: alike(to, from, before[from]!, lastOf(change.path), after[lastOf(change.path)]!) }))
      .filter((candidate) => candidate.alike >= ALIKE)
      .sort((a, b) => b.alike - a.alike);
    const addition = candidates[0]?.change;
    if (!addition) continue;
    to.changes.splice(to.changes.indexOf(addition), 1);
    removal.kind = 'renamed';
    removal.what = `probably renamed to ${lastOf(addition.path)}`;
    removal.widened ||= addition.widened;
    removal.narrowed ||= addition.narrowed;
  }
}

/** Least similarity of a rename. */
const ALIKE = 0.5;

function alike(to: ComparisonState, from: string, old: Json, name: string, next: Json): number {
  if (!equalTo(to, old, next)) return 0;
  const words = (schema: Json) => (isJsonObject(schema) && typeof schema.description === 'string' ? schema.description : '');
  const wordSimilarity = words(old) !== '' && words(next) !== '' ? similarity(words(old), words(next)) : 0;
  return Math.max(similarity(from, name), wordSimilarity);
}

function isIn(changedPath: string, path: string, properties: JsonObject): boolean {
  const name = lastOf(changedPath);
  return Object.hasOwn(properties, name) && changedPath === step(path, name);
}

function lastOf(path: string): string {
  return path
    .slice(path.lastIndexOf('/') + 1)
    .replace(/~1/g, '/')
    .replace(/~0/g, '~');
}
