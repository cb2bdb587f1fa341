/** Generated schemas, each with answers that fit it, and answers that do not, with the places where they do not. */
import fc from 'fast-check';
import type { Json, JsonObject } from '../../../src/shared/json/json';

export interface Wrong {
  value: Json;
  /** The places that the feedback has to name, as JSON pointers, each with words that it has to say there. */
  at: { path: string; says: string }[];
}

export interface Typed {
  schema: JsonObject;
  right: fc.Arbitrary<Json>;
  wrong: fc.Arbitrary<Wrong>;
}

const here = (value: Json): Wrong => ({ value, at: [{ path: '', says: '' }] });
const names = fc.constantFrom('amount', 'due', 'name', 'total', 'lines', 'note', 'a/b', 'c~d', 'é');

const leaves: fc.Arbitrary<Typed> = fc.oneof<fc.Arbitrary<Typed>[]>(
  fc.tuple(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 3, max: 9 })).map(([minLength, maxLength]) => ({
    schema: { type: 'string', minLength, maxLength },
    right: fc.string({ unit: 'grapheme-ascii', minLength, maxLength }),
    wrong: fc.constantFrom(here('x'.repeat(maxLength + 1)), here(7), here(null), here(['x'])),
  })),
  fc.tuple(fc.integer({ min: -9, max: 0 }), fc.integer({ min: 0, max: 9 })).map(([minimum, maximum]) => ({
    schema: { type: 'integer', minimum, maximum },
    right: fc.integer({ min: minimum, max: maximum }),
    wrong: fc.constantFrom(here(minimum - 1), here(maximum + 1), here(0.5), here('0'), here({})),
  })),
  fc.constant({
    schema: { type: 'boolean' },
    right: fc.boolean(),
    wrong: fc.constantFrom(here('true'), here(0), here(null)),
  }),
  fc.uniqueArray(fc.string({ minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 4 }).map((values) => ({
    schema: { enum: values },
    right: fc.constantFrom(...values),
    wrong: fc.constantFrom(here(`${values.join('')}!`), here(1), here(null)),
  })),
  fc.constant({
    schema: { anyOf: [{ type: 'null' }, { type: 'number' }] },
    right: fc.option(fc.integer().map((n) => n / 4)),
    wrong: fc.constantFrom(here('none'), here(false)),
  }),
);

function list(items: Typed): fc.Arbitrary<Typed> {
  return fc.constant({
    schema: { type: 'array', items: items.schema, maxItems: 4 },
    right: fc.array(items.right, { maxLength: 4 }),
    wrong: fc.oneof(
      fc.constant(here({})),
      fc.tuple(fc.array(items.right, { maxLength: 2 }), items.wrong).map(([before, { value, at }]) => ({
        value: [...before, value],
        at: at.map(({ path, says }) => ({ path: `/${before.length}${path}`, says })),
      })),
    ),
  });
}

const escaped = (name: string) => name.replaceAll('~', '~0').replaceAll('/', '~1');

/** @param fields by name; `true` beside a field: it may be missing */
function record(fields: [string, Typed, boolean][]): Typed {
  const required = fields.filter(([, , optional]) => !optional).map(([name]) => name);
  const right = fc.record(
    Object.fromEntries(fields.map(([name, { right: value }]) => [name, value])) as Record<string, fc.Arbitrary<Json>>,
    {
      requiredKeys: required,
    },
  );
  const spoilt = fc.tuple(
    right,
    fc.tuple(...fields.map(([, { wrong }]) => wrong)),
    fc.subarray(
      fields.map((_, n) => n),
      { minLength: 1 },
    ),
  );
  const wrongs: fc.Arbitrary<Wrong>[] = [
    fc.constant(here('{}')),
    right.map((value) => ({ value: { ...value, unknown: 1 }, at: [{ path: '', says: '"unknown"' }] })),
    spoilt.map(([value, bad, which]) => ({
      value: { ...value, ...Object.fromEntries(which.map((n) => [fields[n]![0], bad[n]!.value])) },
      at: which.flatMap((n) => bad[n]!.at.map(({ path, says }) => ({ path: `/${escaped(fields[n]![0])}${path}`, says }))),
    })),
  ];
  if (required.length > 0)
    wrongs.push(
      fc.tuple(right, fc.constantFrom(...required)).map(([value, name]) => {
        const { [name]: _, ...rest } = value;
        return { value: rest, at: [{ path: '', says: `'${name}'` }] };
      }),
    );
  const properties = Object.fromEntries(fields.map(([name, { schema }]) => [name, schema]));
  return { schema: { type: 'object', properties, required, additionalProperties: false }, right, wrong: fc.oneof(...wrongs) };
}

function typed(depth: number): fc.Arbitrary<Typed> {
  if (depth === 0) return leaves;
  return fc.oneof({ weight: 3, arbitrary: leaves }, typed(depth - 1).chain(list), records(depth - 1));
}

function records(depth: number): fc.Arbitrary<Typed> {
  const field = fc.tuple(names, typed(depth), fc.boolean());
  return fc.uniqueArray(field, { selector: ([name]) => name, minLength: 1, maxLength: 4 }).map(record);
}

/** Schemas of type object, up to three levels deep. */
export const typedResults: fc.Arbitrary<Typed> = records(2);
