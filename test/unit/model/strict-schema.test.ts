/** Schemas as each vendor enforces them, and what of a schema a vendor cannot be told. */
import fc from 'fast-check';
import { toCallOptions } from '../../../src/model/ai-sdk/prompt';
import { toolFaults } from '../../../src/model/ai-sdk/vendor';
import { toWire } from '../../../src/model/anthropic/wire';
import { AnthropicProvider } from '../../../src/model/anthropic/provider';
import type { ModelRequest, ModelTool } from '../../../src/model/provider';
import { ANTHROPIC_SUBSET, OPENAI_SUBSET, schemaFaults } from '../../../src/model/schemas/subsets';
import { strictSchema } from '../../../src/model/schemas/strict';
import { isJsonObject, type Json, type JsonObject } from '../../../src/shared/json/json';
import { runs } from '../../support/runs';

const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
  ...more,
});
const TREE = object({ tree: { $ref: '#/$defs/node' } }, { $defs: { node: object({ below: { anyOf: [{ $ref: '#/$defs/node' }, { type: 'null' }] } }) } }); // oxfmt-ignore

test.each<[string, JsonObject, string[], string[]]>([
  ['a plain object', object({ a: { type: 'string' } }), [], []],
  ['an optional field', object({ a: { type: 'string' } }, { required: [] }), ['input.a is optional'], []],
  ['other fields', object({}, { additionalProperties: true }), ['input allows other fields'], ['input allows other fields']],
  ['a condition', object({ a: { not: {} } }), ['input.a uses not'], ['input.a uses not']],
  ['a recursion', TREE, [], ['node.below is recursive']],
  [
    'a reference to nowhere',
    object({ a: { $ref: '#/definitions/x' } }, { definitions: { x: { type: 'string' } } }),
    ['input.a refers to #/definitions/x, which is not in $defs'],
    ['input.a refers to #/definitions/x, which is not in $defs'],
  ],
  ['no object', { type: 'string' }, ['input is not an object'], ['input is not an object']],
])('OpenAI and Anthropic: %s', (_what, schema, openai, anthropic) => {
  expect(schemaFaults('openai', schema)).toEqual(openai);
  expect(schemaFaults('anthropic', schema)).toEqual(anthropic);
});

test('what a vendor does not take is left out, and admission checks it', () => {
  const schema = object({
    cents: { type: 'integer', minimum: 1 },
    tags: { type: 'array', items: { type: 'string' }, minItems: 3 },
  });
  const { cents, tags } = strictSchema(schema, ANTHROPIC_SUBSET).schema!.properties as Record<string, JsonObject>;
  expect([cents, tags]).toEqual([{ type: 'integer' }, { type: 'array', items: { type: 'string' } }]);
  expect(strictSchema(schema, OPENAI_SUBSET).schema).toEqual(schema);
});

test('an object that may be null stays so', () => {
  const schema = object({ a: { ...object({}), type: ['object', 'null'] } });
  expect(strictSchema(schema, OPENAI_SUBSET).schema).toEqual(schema);
});

test('Google: each keyword that is lost is named once, with its place', () => {
  expect(schemaFaults('google', object({ a: { type: 'integer', minimum: 1 }, b: { type: 'integer', minimum: 2 } }))).toEqual([
    'input.a uses minimum, which the model does not see',
  ]);
  expect(schemaFaults('google', object({ a: { type: 'string' } }))).toEqual([]);
});

test('a tool whose schema does not fit goes without strict, and is named', () => {
  const fitting = tool('fits', object({ cents: { type: 'integer', minimum: 1 } }));
  const unfit = tool('unfit', object({ a: { not: {} } }));
  const request: ModelRequest = { model: 'm', system: '', messages: [], tools: [fitting, unfit], serverTools: [], maxTokens: 1, options: {} }; // oxfmt-ignore
  const [first, second] = toWire(request).tools as JsonObject[];
  expect(first).toMatchObject({ strict: true, input_schema: { properties: { cents: { type: 'integer' } } } });
  expect(second).toEqual({ name: 'unfit', description: '', input_schema: unfit.input_schema });
  expect(new AnthropicProvider({ apiKey: 'k' }).faultsOf({ tools: request.tools })).toEqual([
    'the tool unfit goes without strict: input.a uses not',
  ]);
  const sent = toCallOptions(request, 'own name', 'v3', { vendorName: 'openai.responses' }).tools as unknown as JsonObject[];
  expect(sent.map(({ strict }) => strict)).toEqual([true, undefined]);
  expect(toolFaults('google.generative-ai', request.tools)).toEqual([
    'the tool fits: input.cents uses minimum, which the model does not see',
    'the tool unfit: input.a uses not, which the model does not see',
  ]);
  expect(toolFaults('mistral.chat', request.tools)).toEqual([]);
});

test('whatever the schema: an adapted one has only what the vendor takes, in closed objects', () => {
  const keys = fc.constantFrom(...OPENAI_SUBSET.kept, ...OPENAI_SUBSET.shaping, 'title', '__proto__', '$ref');
  const { schema } = fc.letrec<{ schema: Json }>((tie) => ({
    schema: fc.oneof(
      { depthSize: 'small' },
      fc.constantFrom<Json[]>(true, 'object', '#/$defs/a', 1, null),
      fc.array(tie('schema'), { maxLength: 3 }),
      fc.dictionary(keys, tie('schema'), { maxKeys: 5, noNullPrototype: true }) as fc.Arbitrary<Json>,
      fc
        .dictionary(fc.constantFrom('a', 'b'), tie('schema'), { noNullPrototype: true })
        .map((fields) => object(fields as JsonObject)),
    ),
  }));
  fc.assert(
    fc.property(schema, fc.constantFrom(OPENAI_SUBSET, ANTHROPIC_SUBSET), (any, subset) => {
      const whole = object({ any });
      const { schema: adapted, reason } = strictSchema(whole, subset);
      expect(adapted === null).toBe(reason !== null);
      if (adapted !== null) expect(faultIn(adapted, subset.kept)).toBeNull();
    }),
    { numRuns: runs(300, 3000) },
  );
});

function faultIn(schema: JsonObject, kept: ReadonlySet<string>): string | null {
  const strange = Object.keys(schema).find((key) => !kept.has(key));
  if (strange !== undefined) return strange;
  const { properties = null, items = null } = schema;
  if (isJsonObject(properties) && schema.additionalProperties !== false) return 'open';
  const below = [...(isJsonObject(properties) ? Object.values(properties) : []), ...(items === null ? [] : [items])];
  return below.filter(isJsonObject).map((one) => faultIn(one, kept)).find((fault) => fault !== null) ?? null; // oxfmt-ignore
}

function tool(name: string, input_schema: JsonObject): ModelTool {
  return { name, description: '', input_schema, strict: true };
}
