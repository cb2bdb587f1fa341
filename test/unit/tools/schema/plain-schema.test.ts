import Ajv2020 from 'ajv/dist/2020';
import Ajv from 'ajv';
import addFormats from 'ajv-formats';
import * as fc from 'fast-check';
import type { Json, JsonObject } from '../../../../src/shared/json/json';
import { defaultsOf } from '../../../../src/tools/schema/defaults';
import { compilesForSure, AJV_OPTIONS } from '../../../../src/tools/schema/ajv';
import { runs } from '../../../support/runs';

const small = fc.nat({ max: 5 });
const text = fc.string({ maxLength: 5 });

/** Schemas of a few keywords each, including those about which ajv is strict. */
const { schema } = fc.letrec<{ schema: Json }>((tie) => {
  const sub = tie('schema');
  const entry = (name: string, value: fc.Arbitrary<Json>) => value.map((one): [string, Json] => [name, one]);
  const keyword = fc.oneof(
    entry('type', fc.constantFrom('object', 'array', 'string', 'integer', 'null')),
    entry('properties', fc.dictionary(fc.constantFrom('a', 'b', '__proto__', 'constructor'), sub, { maxKeys: 2 })),
    entry('required', fc.uniqueArray(text, { maxLength: 2 })),
    entry('items', sub),
    entry('additionalProperties', sub),
    entry('anyOf', fc.array(sub, { minLength: 1, maxLength: 2 })),
    entry('oneOf', fc.array(sub, { minLength: 1, maxLength: 2 })),
    entry('enum', fc.array(fc.jsonValue({ maxDepth: 1 }) as fc.Arbitrary<Json>, { maxLength: 3 })),
    entry('const', fc.jsonValue({ maxDepth: 1 }) as fc.Arbitrary<Json>),
    entry('default', fc.jsonValue({ maxDepth: 1 }) as fc.Arbitrary<Json>),
    entry('pattern', fc.constantFrom('^a+$', '(', '[z-a]', 'a{2,1}', '\\d')),
    entry('format', fc.constantFrom('date', 'no-such-format')),
    entry('minLength', small),
    entry('maxItems', small),
    entry('uniqueItems', fc.boolean()),
    entry('multipleOf', fc.constantFrom(1, 0.5)),
    entry('strange', fc.constant(true)),
    entry('$ref', fc.constantFrom('#/nowhere', '#')),
    entry('not', sub),
    entry('if', sub),
    entry('minContains', small),
    entry('prefixItems', fc.array(sub, { minLength: 1, maxLength: 2 })),
  );
  const object = fc.array(keyword, { maxLength: 4 }).map((entries) => Object.fromEntries(entries) as Json);
  return { schema: fc.oneof({ maxDepth: 3 }, fc.boolean(), object) };
});

const judges = [new Ajv({ ...AJV_OPTIONS, logger: false }), new Ajv2020({ ...AJV_OPTIONS, logger: false })];

const plain = { type: 'object', properties: { a: { type: 'string', minLength: 1, default: 'x' } }, required: ['a'] };

describe('a schema that is compiled when it is first used', () => {
  it('never fails to compile if its meta-schema accepted it', () => {
    let sure = 0;
    fc.assert(
      fc.property(schema, fc.boolean(), (given, useDefaults) => {
        if (typeof given !== 'object' || given === null || Array.isArray(given)) return;
        for (const judge of judges) {
          if (!compilesForSure(given) || !judge.validateSchema(given)) continue;
          sure += 1;
          const make = judge instanceof Ajv2020 ? Ajv2020 : Ajv;
          const taken = useDefaults ? defaultsOf(given).schema : given;
          addFormats(new make({ ...AJV_OPTIONS, useDefaults, meta: false, validateSchema: false })).compile(taken);
        }
      }),
      { numRuns: runs(400, 2000) },
    );
    expect(sure).toBeGreaterThan(100);
  });

  it.each<[string, JsonObject]>([
    ['a reference', { ...plain, $ref: '#/$defs/a' }],
    ['an unknown keyword', { ...plain, colour: 'red' }],
    ['a format that nobody knows', { type: 'string', format: 'colour' }],
    ['a malformed pattern', { type: 'string', pattern: '(' }],
    ['an empty enum', { enum: [] }],
  ])('may not have %s', (_what, given) => {
    expect(compilesForSure(plain)).toBe(true);
    expect(compilesForSure(given)).toBe(false);
  });
});
