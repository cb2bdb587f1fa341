import { z } from 'zod';
import type { Json, JsonObject } from '../../../../src/shared/json/json';
import { fromMcp } from '../../../../src/tools/convert/mcp';
import { toolFromDefinition } from '../../../../src/tools/convert/definition';
import { defineTool } from '../../../../src/tools/define/define';
import { defaultsOf } from '../../../../src/tools/schema/defaults';
import { compile, compiledInput, inputSchema } from '../../../../src/tools/schema/schema';

const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({ type: 'object', properties, ...more });
const unfit = { type: 'string', default: null };
const fit = { type: 'string', default: 'x' };
const define = (input: JsonObject | z.ZodType) =>
  defineTool({
    name: 'find_rates',
    version: '1.0.0',
    class: 'read',
    description: 'Finds.',
    input: input as JsonObject,
    run: () => null,
  });
const effective = (schema: JsonObject, value: Json) => compile(inputSchema(schema))(value as JsonObject);

/** Schemas, each with the place of a default that does not fit. */
const PLACES: [string, JsonObject, string][] = [
  ['a field', object({ a: unfit }), '/properties/a/default'],
  ['a field of a field', object({ a: object({ b: unfit }) }), '/properties/a/properties/b/default'],
  ['an odd name', object({ 'a/b~c %': unfit }), '/properties/a~1b~0c %/default'],
  ['a list', object({ a: { type: 'array', items: unfit } }), '/properties/a/items/default'],
  ['a tuple', object({ a: { type: 'array', items: [unfit] } }), '/properties/a/items/0/default'],
  ['beside a reference', object({ a: { $ref: '#/$defs/d', default: null } }, { $defs: { d: { type: 'string' } } }), '/properties/a/default'],
  ['behind a reference', object({ a: { $ref: '#/$defs/d' } }, { $defs: { d: object({ b: unfit }) } }), '/$defs/d/properties/b/default'],
  ['an alternative', object({ a: { anyOf: [object({ b: unfit }), { type: 'null' }] } }), '/properties/a/anyOf/0/properties/b/default'],
  ['a choice', object({ a: { oneOf: [unfit, { type: 'null' }] } }), '/properties/a/oneOf/0/default'],
  ['the whole', { ...object({ a: { type: 'string' } }, { required: ['a'] }), default: {} }, '/default'],
  ['a length', object({ a: { type: 'string', maxLength: 3, default: 'long' } }), '/properties/a/default'],
  ['a part of an object', object({ a: { ...object({ b: { type: 'number' } }), default: { b: 'x' } } }), '/properties/a/default'],
]; // oxfmt-ignore

describe('a default that does not fit its own field', () => {
  it.each(PLACES)('is a fault in a tool of our own: %s', (_place, schema, path) => {
    expect(() => define(schema)).toThrow(new RegExp(`is not well defined(.|\n)*${escaped(path)} is .*does not fit`));
  });

  it.each(PLACES)('is left out of a tool from elsewhere, and listed as a loss: %s', (_place, schema, path) => {
    const { value, losses } = fromMcp({ name: 'find_rates', description: 'Finds.', inputSchema: schema });
    expect(losses).toContainEqual({ path: `/inputSchema${path}`, what: expect.stringMatching(/does not fit/) });
    const tool = toolFromDefinition(value, () => null);
    expect(JSON.stringify(tool.input)).not.toContain('"default"');
  });

  it.each(PLACES)('is not written into an input: %s', (_place, schema) => {
    const given: JsonObject = schema.required ? { a: 'x' } : {};
    expect(effective(schema, given)).toEqual({ valid: true, data: given });
  });

  it('in zod is a fault too', () => {
    expect(() => define(z.object({ a: z.string().min(5).default('abc') }))).toThrow(
      /\/properties\/a\/default is "abc".*does not fit/,
    );
    expect(() => define(z.object({ a: z.string().transform(Number).default(5) }))).not.toThrow(); // of its output
  });
});

describe('a default that fits', () => {
  it('is written in, even if others do not fit', () => {
    expect(effective(object({ a: unfit, b: fit }), {})).toEqual({ valid: true, data: { b: 'x' } });
    const nested = object({ a: { ...object({ b: fit, c: unfit }, { required: ['b'] }), default: {} } });
    expect(effective(nested, {})).toEqual({ valid: true, data: { a: { b: 'x' } } });
  });

  it('may be in an alternative, and is not written in there', () => {
    const either = object({ a: { anyOf: [object({ b: fit }), { type: 'null' }] } });
    expect(effective(either, { a: {} })).toEqual({ valid: true, data: { a: {} } });
    const refers = object(
      { a: { anyOf: [{ $ref: '#/$defs/first' }, { $ref: '#/$defs/second' }] } },
      {
        $defs: {
          first: object({ b: fit, deep: { $ref: '#/$defs/deep' } }, { required: ['deep'], additionalProperties: false }),
          second: object({ c: { type: 'string' } }, { additionalProperties: false }),
          deep: object({ d: fit }),
        },
      },
    );
    expect(effective(refers, { a: { c: 'y' } })).toEqual({ valid: true, data: { a: { c: 'y' } } });
    expect(() => define(either)).not.toThrow();
    expect(() => define({ ...object({ a: fit }), default: {} })).not.toThrow();
  });

  it('in zod is written in', () => {
    const { validate } = compiledInput(
      define(z.object({ a: z.number().default(3), b: z.string().prefault('x') })).input as never,
    );
    expect(validate({})).toEqual({ valid: true, data: { a: 3, b: 'x' } });
  });
});

describe('hostile defaults', () => {
  it('are left out if they would never end', () => {
    const loop = object({ a: { $ref: '#', default: {} } });
    expect(effective(loop, {})).toEqual({ valid: true, data: {} });
  });

  it('are checked in a short time', () => {
    const branches = Array.from({ length: 8 }, () => ({ $ref: '#/$defs/tree' }));
    const tree: JsonObject = { anyOf: [{ type: 'string' }, { type: 'array', items: { anyOf: branches } }] };
    const deep = JSON.parse('['.repeat(40) + ']'.repeat(40)) as Json;
    const schema = object({ a: { $ref: '#/$defs/tree', default: [deep, 1] as never } }, { $defs: { tree } });
    const begun = Date.now();
    const { losses } = fromMcp({ name: 'find_rates', description: 'Finds.', inputSchema: schema });
    expect(losses).toContainEqual({ path: '/inputSchema/properties/a/default', what: expect.stringMatching(/takes too long/) });
    expect(Date.now() - begun).toBeLessThan(20_000);
  });
});

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

it('defaults that take too long to compile are not checked: a schema of a server blocks nobody', () => {
  const fields = (depth: number): JsonObject => ({
    type: 'object',
    default: {},
    properties: Object.fromEntries(
      Array.from({ length: 30 }, (_, at) => [`f${at}`, at === 0 && depth > 0 ? fields(depth - 1) : { type: 'string' }]),
    ),
  });
  const { unfit } = defaultsOf(fields(29));
  expect(unfit.length).toBeGreaterThan(15);
  for (const { message } of unfit) expect(message).toContain('it takes too long to be judged');
});
