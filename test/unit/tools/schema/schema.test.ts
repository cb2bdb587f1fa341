import { z } from 'zod';
import type { Json, JsonObject } from '../../../../src/shared/json/json';
import { defineTool } from '../../../../src/tools/define/define';
import { dialectOf } from '../../../../src/tools/schema/ajv';
import { compile, compiledInput, compileOutput, inputSchema, outputSchema } from '../../../../src/tools/schema/schema';

const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({ type: 'object', properties, ...more });
const text = { type: 'string' };
const takes = (schema: JsonObject | z.ZodType, value: Json) => compile(inputSchema(schema))(value).valid;

describe('which draft a schema is written in', () => {
  it.each<[JsonObject, string]>([
    [{ $schema: 'http://json-schema.org/draft-07/schema#', $defs: {} }, 'draft-07'],
    [{ $schema: 'https://json-schema.org/draft/2020-12/schema' }, '2020-12'],
    [object({ a: { type: 'array', prefixItems: [text] } }), '2020-12'],
    [object({ a: { anyOf: [{ unevaluatedItems: false }] } }), '2020-12'],
    [object({ prefixItems: text, $defs: text }), 'draft-07'], // names of properties, no keywords
    [object({ a: { type: 'array', items: [text] } }), 'draft-07'],
  ])('%j: %s', (schema, dialect) => expect(dialectOf(schema)).toBe(dialect));
});

describe('strictness', () => {
  it('does not change what a combination means', () => {
    const all = object({}, { allOf: [object({ a: text }), object({ b: text })] });
    expect(takes(all, { a: 'x', b: 'y' })).toBe(true);
    expect(takes(all, { a: 'x', c: 'y' })).toBe(false);
    const any = object({ kind: text }, { anyOf: [{ required: ['kind'] }, object({ other: text }, { required: ['other'] })] });
    expect(takes(any, { other: 'x', kind: 'y' })).toBe(true);
    expect(takes(any, { kind: 'y', extra: 1 })).toBe(false);
    const shared = object(
      { item: { allOf: [{ $ref: '#/$defs/base' }, object({ b: text })] } },
      { $defs: { base: object({ a: text }) } },
    );
    expect(takes(shared, { item: { a: 'x', b: 'y' } })).toBe(true);
    expect(takes(shared, { item: { a: 'x', c: 'y' } })).toBe(false);
    const negated = object(
      { a: object({ b: text }) },
      { not: object({ a: object({ b: { const: 'no' } }) }, { required: ['a'] }) },
    );
    expect(takes(negated, { a: { b: 'no' } })).toBe(false);
    expect(takes(negated, { a: { b: 'yes' } })).toBe(true);
  });

  it('reaches separate parts: unions by type or by a fixed field, definitions, lists, recursion', () => {
    const nullable = z.object({ item: z.object({ a: z.string() }).nullable() });
    expect(takes(nullable, { item: { a: 'x', b: 1 } })).toBe(false);
    const kinds = z.object({
      by: z.discriminatedUnion('kind', [
        z.object({ kind: z.literal('a'), a: z.object({ x: z.string() }) }),
        z.object({ kind: z.literal('b') }),
      ]),
    });
    expect(takes(kinds, { by: { kind: 'a', a: { x: 'y' } } })).toBe(true);
    expect(takes(kinds, { by: { kind: 'a', a: { x: 'y', z: 1 } } })).toBe(false);
    expect(takes(kinds, { by: { kind: 'b', more: 1 } })).toBe(false);
    const tree = object({ root: { $ref: '#/$defs/node' } }, { $defs: { node: object({ children: { type: 'array', items: { $ref: '#/$defs/node' } } }) } }); // oxfmt-ignore
    expect(takes(tree, { root: { children: [{ children: [] }] } })).toBe(true);
    expect(takes(tree, { root: { children: [{ leaves: 1 }] } })).toBe(false);
  });

  it('leaves objects open that are declared open, or that list no properties', () => {
    expect(takes(object({ tags: { type: 'object' } }), { tags: { any: 1 } })).toBe(true);
    expect(takes(object({ tags: { type: 'object', propertyNames: { pattern: '^x' } } }), { tags: { xy: 1 } })).toBe(true);
    expect(takes(object({ a: text }, { required: ['b'] }), { b: 1 })).toBe(true); // closed, nothing would fit it any more
    expect(takes({ type: 'object' }, { any: 1 })).toBe(false); // a tool that takes nothing
  });
});

describe('schemas of several tools', () => {
  it('may have the same $id, also of a part, and do not affect each other', () => {
    const define = (part: JsonObject) =>
      defineTool({
        name: 'find_rates',
        version: '1.0.0',
        class: 'read',
        description: 'Finds.',
        input: object({ a: { $id: 'https://example.com/part', ...part } }, { $id: 'https://example.com/input' }),
        run: () => null,
      });
    const [first, second] = [define({ type: 'string' }), define({ type: 'number' })].map(({ input }) => compiledInput(input as JsonObject)); // oxfmt-ignore
    expect([first!.validate({ a: 'x' }).valid, first!.validate({ a: 1 }).valid]).toEqual([true, false]);
    expect([second!.validate({ a: 'x' }).valid, second!.validate({ a: 1 }).valid]).toEqual([false, true]);
    expect(() => define({ $ref: 'https://example.com/input#/properties/b' })).toThrow('is not well defined');
  });

  it('answer a schema that never ends, and an input that is nested too deeply, with a violation', () => {
    const loop = compile(object({ a: { $ref: '#/$defs/loop' } }, { $defs: { loop: { allOf: [{ $ref: '#/$defs/loop' }] } } }));
    expect(loop({ a: 1 })).toMatchObject({
      valid: false,
      violations: [{ path: '', message: expect.stringContaining('takes too long') }],
    });
  });
});

describe('a name beside a reference', () => {
  const within = (a: JsonObject, more: JsonObject) => compiledInput(object({ a }, more)).validate;
  const $defs = { b: text };

  it('is the base of the reference in 2020-12, and means nothing in draft-07', () => {
    const own = within({ $id: 'https://example.com/a', $ref: '#/$defs/b', $defs }, {});
    expect([own({ a: 'x' }).valid, own({ a: 1 }).valid]).toEqual([true, false]);
    expect(() => within({ $id: 'https://example.com/a', $ref: '#/$defs/b' }, { $defs })).toThrow(
      'it refers to https://example.com/a#/$defs/b, which is not in it',
    );
    const older = within({ $id: 'https://example.com/a', $ref: '#/definitions/b' }, { definitions: $defs });
    expect([older({ a: 'x' }).valid, older({ a: 1 }).valid]).toEqual([true, false]);
  });

  it('is a fault if it leads back to itself, and the error says so', () => {
    expect(() => within({ $ref: '#/properties/a' }, {})).toThrow('a $ref in it leads back to itself');
  });
});

describe('an output schema', () => {
  it('accepts further fields unless it is declared strict, and changes nothing', () => {
    const check = (schema: z.ZodType | JsonObject, data: Json) => compileOutput(outputSchema(schema))(data);
    expect(check(z.object({ a: z.number() }), { a: 1, b: 2 })).toEqual({ valid: true, data: { a: 1, b: 2 } });
    expect(check(z.strictObject({ a: z.number() }), { a: 1, b: 2 }).valid).toBe(false);
    expect(check(object({ a: { type: 'number', default: 7 } }), {})).toEqual({ valid: true, data: {} });
    expect(check({ type: 'array', items: { type: 'number' } }, [1, 'x'])).toEqual({
      valid: false,
      violations: [{ path: '/1', message: 'must be number' }],
    });
  });
});
