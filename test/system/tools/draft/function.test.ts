import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import ts from 'typescript';
import type { JsonObject } from '../../../../src/shared/json/json';
import { draftFromFunctions, typescriptFor } from '@holdfast/tool-kit';
import { compile, inputSchema } from '../../../../src/tools/schema/schema';
import { toolContext } from '../../../support/tool-context';
import { load } from './load';
import { SHOP } from './sources';

const shop = (name?: string) => draftFromFunctions(ts, { text: SHOP, from: 'shop.ts', module: './shop.js', name });
const schemaFor = (type: string, rest = '') => {
  const source = draftFromFunctions(ts, {
    text: `export function f(x: ${type}, y: 1) {}\n${rest}`,
    from: 'f.ts',
    module: './f.js',
  });
  const { x } = inputSchema(load(source, undefined, { './f.js': {} })[0]!.input).properties as JsonObject;
  return { schema: x, source };
};

describe('tools drafted from functions', () => {
  it('have the parameters as their input, and the TSDoc as their description', () => {
    const [tool] = load(shop('placeOrder'), undefined, { './shop.js': {} });
    expect(tool).toMatchObject({
      name: 'place_order',
      class: 'destructive',
      description: {
        does: 'Places an order with the shop.',
        returns: 'number and price of the order',
        example: "placeOrder({ item: 'A1' })",
      },
    });
    expect(inputSchema(tool!.input)).toMatchObject({
      type: 'object',
      properties: {
        day: { type: 'string', description: 'Day of delivery' },
        item: { type: 'string', description: 'Number of the Item' },
        unit: { enum: ['kg', 'lb', null] },
        size: { type: 'string', enum: ['s', 'l'] },
        tags: { type: 'array', items: { type: 'string' } },
        at: {
          properties: { street: { type: 'string', description: 'Street and house' }, floor: { type: 'number' } },
          required: ['street'],
          additionalProperties: false,
        },
        prices: { type: 'object', additionalProperties: { type: 'number' } },
        gift: { type: 'boolean' },
      },
      required: ['item', 'unit', 'size', 'tags', 'at', 'prices'],
      additionalProperties: false,
    });
  });

  it('call the function: one object as it is, several parameters by name, the signal from the engine', async () => {
    const called: unknown[][] = [];
    const note = (...args: unknown[]) => called.push(args);
    const source = { placeOrder: note, countOrders: note, price: note, default: note, formerly: note };
    const tools = load(shop(), undefined, { './shop.js': source });
    expect(tools.map((tool) => tool.name)).toEqual(['place_order', 'count_orders', 'price', 'shop', 'formerly']);
    const ctx = toolContext();
    await tools[0]!.run({ item: 'A1' }, ctx);
    await tools[1]!.run({ from: 'x', most: 2, states: ['open'] }, ctx);
    await tools[1]!.run({ from: 'x', most: 10 }, ctx);
    await tools[2]!.run({ item: 'A1', currency: 'EUR', when: '2026-01-01' }, ctx);
    await tools[3]!.run({ days: 2 }, ctx);
    expect(called).toEqual([
      [{ item: 'A1' }, ctx.signal],
      ['x', 2, 'open'],
      ['x', 10],
      ['A1', 'EUR', '2026-01-01'],
      [{ days: 2 }],
    ]);
    const count = compile(inputSchema(tools[1]!.input));
    expect(count({ from: 'x' })).toEqual({ valid: true, data: { from: 'x', most: 10 } });
    expect(count({ most: 3 })).toMatchObject({ valid: false });
    expect(compile(inputSchema(tools[3]!.input))({})).toEqual({ valid: true, data: { days: 3 } });
  });

  it('a type that no schema can express becomes a line for a person, not a guess', () => {
    const source = shop();
    const tools = load(source, undefined, { './shop.js': {} });
    expect(inputSchema(tools[2]!.input).properties).toMatchObject({
      currency: {},
      when: { type: 'string', format: 'date-time' },
    });
    for (const line of [
      'currency: is Currency, which is not declared in this file: no schema says that; write one, or leave it out',
      'when: the function takes a Date, JSON carries a text: convert it in run',
      'node.left: Tree, which holds itself: no schema says that; write one, or leave it out',
      'errors: throw a ToolError with the code that fits where it throws: RangeError when the shop is closed',
      'the source calls it deprecated',
      'how the file above is imported here.',
    ]) {
      expect(source).toContain(`// decide: ${line}\n`);
    }
    expect(source).not.toContain('inner');
  });

  it.each([
    ['"a" | "b"', { type: 'string', enum: ['a', 'b'] }],
    ['-1 | 2 | true', { enum: [-1, 2, true] }],
    ['string | null', { type: ['string', 'null'] }],
    ['string | number', { anyOf: [{ type: 'string' }, { type: 'number' }] }],
    ['boolean | "auto"', { anyOf: [{ type: 'boolean' }, { type: 'string', enum: ['auto'] }] }],
    ['Array<(string)>[]', { type: 'array', items: { type: 'array', items: { type: 'string' } } }],
    ['{ a: 1 } & { b?: 2 }', { properties: { a: { enum: [1] }, b: { enum: [2] } }, required: ['a'] }],
    ['Partial<{ a: 1 }>', { properties: { a: { enum: [1] } }, required: [] }],
    ['Record<"a", number>', { properties: { a: { type: 'number' } }, required: ['a'] }],
    ['{ [name: string]: boolean }', { additionalProperties: { type: 'boolean' } }],
    ['{ "odd name": 1; __proto__: 2 }', { required: ['odd name', '__proto__'] }],
    ['bigint', { type: 'string', pattern: '^-?[0-9]{1,78}$' }],
  ])('%s becomes a schema, and no question', (type, schema) => {
    expect(schemaFor(type).schema).toMatchObject(schema);
    expect(schemaFor(type).source).not.toContain('no schema says');
  });

  it('enums count as TypeScript counts', () => {
    expect(schemaFor('E', 'enum E { A, B = 5, C }').schema).toEqual({ enum: [0, 5, 6] });
  });

  it.each([
    '() => void',
    'Map<string, string>',
    'any',
    '[string, number]',
    'typeof LIMIT',
    '`a${string}`',
    'keyof Window',
    'E',
    'G<1>',
  ])('%s becomes anything, and a question', (type) => {
    const { schema, source } = schemaFor(type, 'enum E { A = Date.now() }\ninterface G<T> { a: T }');
    expect(schema).toEqual({});
    expect(source).toMatch(/\/\/ decide: x: .*no schema says that/);
  });

  it.each([
    ['another name', SHOP, 'refund', /no exported function "refund"; it exports the functions "placeOrder", "countOrders"/],
    ['a file without functions', 'export const a = 1;', undefined, /no exported function; it exports no function/],
    ['broken source', 'export const a = 1;\nexport function f( {', undefined, /line 2: /],
    ['a novel', ' '.repeat(1_000_001), undefined, /1000001 characters/],
    [
      'parentheses without end',
      `export function f(a: ${'('.repeat(40_000)}1${')'.repeat(40_000)}) {}`,
      undefined,
      /nested too deep/,
    ],
    [
      'types that double',
      Array.from({ length: 30 }, (_, n) => `interface T${n} { a: T${n + 1}; b: T${n + 1} }`).join('\n') +
        '\nexport function f(a: T0) {}',
      undefined,
      /unfold into more than 5000/,
    ],
  ])('%s ends in a clear error', (_what, text, name, why) => {
    let thrown: unknown;
    try {
      draftFromFunctions(ts, { text, from: 'f.ts', module: './f.js', name });
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toMatchObject({ name: 'DraftError', message: expect.stringMatching(why) });
  });

  it('names, types and comments of the source never become code', () => {
    const nasty = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 30 }),
      fc.constantFrom(
        '"; globalThis.owned = 1; //',
        "'; globalThis.owned = 1; //",
        '`${globalThis.owned = 1}`',
        '\u2028globalThis.owned = 1',
        '\nglobalThis.owned = 1\n',
        'constructor',
        '__proto__',
        '\u202e',
      ),
    );
    const quoted = (text: string) => JSON.stringify(text);
    const comment = (text: string) => text.replace(/\*\//g, '* /');
    fc.assert(
      fc.property(nasty, nasty, fc.constantFrom('f', 'naïve', 'ＦＵＬＬ', 'delete_', '__proto__', '$'), (key, said, name) => {
        const text = `/** ${comment(said)}\n * @param a.b ${comment(said)}\n * @throws ${comment(said)} */
export const ${name} = (a: { ${quoted(key)}: ${quoted(said)} | Missing }, ${name === 'f' ? 'g' : 'f'} = ${quoted(said)}) => 1;`;
        const source = draftFromFunctions(ts, { text, from: said, module: `./${said}.js` });
        load(source, undefined, { [`./${said}.js`]: {} });
        expect((globalThis as { owned?: unknown }).owned).toBeUndefined();
        expect(source).not.toMatch(/[^\x20-\x7e\n]/);
      }),
      { numRuns: 150 },
    );
  });
});

describe('the TypeScript compiler for a draft', () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-draft-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  it("is the file's own, else ours, else asked for", () => {
    const file = join(folder, 'a.ts');
    expect(() => typescriptFor(file, join(folder, 'ours.js'))).toThrow(/needs the package typescript.*npm install -D typescript/);
    expect(typescriptFor(file).version).toBe(ts.version);
    const theirs = join(folder, 'project', 'node_modules', 'typescript');
    mkdirSync(theirs, { recursive: true });
    writeFileSync(join(theirs, 'index.js'), "exports.version = 'theirs';");
    expect(typescriptFor(join(folder, 'project', 'a.ts')).version).toBe('theirs');
  });
});
