/** Small JSON Schemas, and values that often fit them; for comparing versions. */
import fc from 'fast-check';
import type { Json, JsonObject } from '../../../../src/shared/json/json';

const NAMES = ['a', 'b', 'c'];

const scalar: fc.Arbitrary<JsonObject> = fc.oneof(
  fc
    .record({
      min: fc.option(fc.integer({ min: -3, max: 2 })),
      max: fc.option(fc.integer({ min: 0, max: 5 })),
      step: fc.constantFrom(null, 1, 2, 4),
    })
    .chain(({ min, max, step }) =>
      fc.constantFrom('integer', 'number').map((type) => ({
        type,
        ...(min === null ? {} : { minimum: min }),
        ...(max === null ? {} : { maximum: max }),
        ...(step === null ? {} : { multipleOf: step }),
      })),
    ),
  fc
    .record({
      min: fc.option(fc.integer({ min: 0, max: 2 })),
      max: fc.option(fc.integer({ min: 0, max: 3 })),
      pattern: fc.constantFrom(null, '^x', 'y$'),
    })
    .map(({ min, max, pattern }) => ({
      type: 'string',
      ...(min === null ? {} : { minLength: min }),
      ...(max === null ? {} : { maxLength: max }),
      ...(pattern === null ? {} : { pattern }),
    })),
  fc
    .uniqueArray(fc.constantFrom<Json>('x', 'xy', 1, 2, null, true), { minLength: 1, maxLength: 3 })
    .map((choices) => ({ enum: choices })),
  fc.constantFrom<JsonObject>(
    { type: 'boolean' },
    { type: ['string', 'null'] },
    { const: 'x' },
    { type: 'null' },
    { $ref: '#/$defs/d' },
    {},
  ),
);

export const schema = fc.letrec<{ any: JsonObject; object: JsonObject }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 2, depthSize: 'small' },
    scalar,
    tie('object') as fc.Arbitrary<JsonObject>,
    fc
      .record({ items: tie('any'), max: fc.option(fc.integer({ min: 0, max: 3 })), unique: fc.boolean() })
      .map(({ items, max, unique }): JsonObject => ({
        type: 'array',
        items,
        ...(max === null ? {} : { maxItems: max }),
        ...(unique ? { uniqueItems: true } : {}),
      })),
    fc
      .tuple(fc.constantFrom('anyOf', 'oneOf', 'allOf'), fc.array(tie('any'), { minLength: 1, maxLength: 2 }))
      .map(([keyword, branches]): JsonObject => ({ [keyword]: branches })),
  ) as fc.Arbitrary<JsonObject>,
  object: fc
    .record({
      properties: fc.dictionary(fc.constantFrom(...NAMES), tie('any'), { maxKeys: 3, noNullPrototype: true }),
      required: fc.subarray(NAMES),
      extra: fc.oneof(fc.constantFrom<Json>(false, true), scalar),
    })
    .map(({ properties, required, extra }): JsonObject => ({
      type: 'object',
      properties,
      required: required.filter((name) => name in properties),
      additionalProperties: extra,
    })),
}));

/** Two schemas that are often near each other: the second is the first with a part replaced. */
export const pair: fc.Arbitrary<[JsonObject, JsonObject]> = fc
  .tuple(schema.object, schema.object, schema.any, fc.constantFrom(...NAMES), scalar, scalar, fc.integer({ min: 0, max: 5 }))
  .map(([old, other, any, name, d1, d2, how]) => {
    const near: JsonObject[] = [
      other,
      { ...old, properties: { ...(old.properties as JsonObject), [name]: any } },
      {
        ...old,
        properties: Object.fromEntries(Object.entries(old.properties as JsonObject).filter(([key]) => key !== name)),
        required: [],
      },
      { ...old, additionalProperties: other.additionalProperties! },
      { ...old, required: [] },
      old,
    ];
    const plain = (schema: JsonObject): JsonObject => ('$ref' in schema ? { type: 'string' } : schema);
    return [
      { ...old, $defs: { d: plain(d1) } },
      { ...near[how]!, $defs: { d: plain(how % 2 === 0 ? d1 : d2) } },
    ];
  });

const leaf = fc.constantFrom<Json>('x', 'xy', 'y', '', 'long text', 0, 1, 2, 4, 1.5, -2, 7, null, true, false);

export const value: fc.Arbitrary<Json> = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, depthSize: 'small', withCrossShrink: true },
    leaf,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...NAMES, 'z'), tie('value'), { maxKeys: 3, noNullPrototype: true }) as fc.Arbitrary<Json>,
  ),
})).value;

export const object = fc.dictionary(fc.constantFrom(...NAMES, 'z'), value, {
  maxKeys: 3,
  noNullPrototype: true,
}) as fc.Arbitrary<JsonObject>;
