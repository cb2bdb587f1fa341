/** Compares the keywords that constrain one value, whatever is inside it: type, choices, bounds, multiples, pattern, format. */
import { sameJson } from './same-json';
import type { Json, JsonObject } from '../../shared/json/json';
import { addChange, compareAsWhole, effect, show, type ComparisonState, type SchemaChangeKind } from './schema-changes';

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

const TYPES = ['null', 'boolean', 'string', 'number', 'integer', 'array', 'object'];

function typesOf(schema: JsonObject): Set<string> {
  const types =
    schema.type === undefined ? TYPES : Array.isArray(schema.type) ? (schema.type as string[]) : [schema.type as string];
  return new Set(types.includes('number') ? [...types, 'integer'] : types);
}

export function compareTypes(to: ComparisonState, old: JsonObject, next: JsonObject, path: string): 'apart' | 'meet' {
  const before = typesOf(old);
  const after = typesOf(next);
  const removals = [...before].filter((type) => !after.has(type));
  const come = [...after].filter((type) => !before.has(type));
  if (removals.length === 0 && come.length === 0) return 'meet';
  const apart = removals.length === before.size;
  addChange(to, 'retyped', path, `type ${show(old.type)} → ${show(next.type)}`, effect(removals.length > 0, come.length > 0));
  return apart ? 'apart' : 'meet';
}

/** All keywords of one value but the type, which decides first whether the schemas have values in common. */
export function compareValue(to: ComparisonState, old: JsonObject, next: JsonObject, path: string): void {
  compareChoices(to, old, next, path);
  for (const limit of BOUNDS) compareBoundKeyword(to, old, next, limit, path);
  compareMultiples(to, old, next, path);
  compareSwitch(to, old, next, 'pattern', 'pattern', path);
  compareSwitch(to, old, next, 'format', 'format', path);
  if ((old.uniqueItems ?? false) !== (next.uniqueItems ?? false)) {
    addChange(
      to,
      'shape',
      path,
      next.uniqueItems ? 'items must differ from each other' : 'items may be equal',
      next.uniqueItems ? 'narrowed' : 'widened',
    );
  }
}

function choicesOf(schema: JsonObject): Json[] | null {
  if ('const' in schema && !('enum' in schema)) return [schema.const as Json];
  return Array.isArray(schema.enum) && !('const' in schema) ? schema.enum : null;
}

function compareChoices(to: ComparisonState, old: JsonObject, next: JsonObject, path: string): void {
  if ([old, next].some((schema) => 'const' in schema && 'enum' in schema))
    return compareAsWhole(to, old, next, ['enum', 'const'], path, 'enum');
  const before = choicesOf(old);
  const after = choicesOf(next);
  if (before === null && after === null) return;
  if (before === null) return addChange(to, 'enum', path, `only ${show(after)} now`, 'narrowed');
  if (after === null) return addChange(to, 'enum', path, `no longer only ${show(before)}`, 'widened');
  const removals = before.filter((value) => !after.some((other) => sameJson(value, other)));
  const come = after.filter((value) => !before.some((other) => sameJson(value, other)));
  if (removals.length + come.length === 0) return;
  const texts = [...removals.map((value) => `without ${show(value)}`), ...come.map((value) => `with ${show(value)}`)];
  addChange(to, 'enum', path, `choices ${texts.join(', ')}`, effect(removals.length > 0, come.length > 0));
}

function compareBoundKeyword(
  to: ComparisonState,
  old: JsonObject,
  next: JsonObject,
  limit: (typeof BOUNDS)[number],
  path: string,
): void {
  const [keyword, side, kind] = limit;
  const before = old[keyword] as number | undefined;
  const after = next[keyword] as number | undefined;
  if (before === after) return;
  const open = side === 'lower' ? -Infinity : Infinity;
  const grew = (after ?? open) > (before ?? open);
  const effect = grew === (side === 'lower') ? 'narrowed' : 'widened';
  addChange(to, kind, path, `${keyword} ${show(before)} → ${show(after)}`, effect);
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
  addChange(to, 'range', path, `multipleOf ${show(before)} → ${show(after)}`, effect);
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
  addChange(to, kind, path, `${keyword} ${show(old[keyword])} → ${show(next[keyword])}`, effect);
}
