/** Results of agents: which schemas can describe one, which answers are taken, and what the model is told of the others. */
import fc from 'fast-check';
import { z } from 'zod';
import { withResultCall } from '../../../../src/model/prompted/native-result';
import { defineAgent, defineApp } from '../../../../src/agents/define';
import { describeAgent } from '../../../../src/agents/describe-agent';
import { isMisfit } from '../../../../src/audit/verify/schema-fit';
import type { ModelResponse } from '../../../../src/model/provider';
import type { JsonObject } from '../../../../src/shared/json/json';
import { GIVE_RESULT, RESULT_BYTES } from '../../../../src/shared/turn/result';
import { admit, checkAhead } from '../../../../src/tools/admit/admit';
import { Registry } from '../../../../src/tools/catalogue/registry';
import { resultSchema, type ResultDefinition } from '../../../../src/agents/give-result';
import { runs } from '../../../support/runs';
import { typedResults } from '../../../support/tools/typed-schemas';

const agent = (result: ResultDefinition, more = {}) => defineAgent({ name: 'a', prompt: 'p', tools: [], result, ...more });
const prepared = (result: ResultDefinition) => new Registry(defineApp({ agents: [agent(result)] })).agent('a')!;
async function given(result: ResultDefinition, json: string, more = {}) {
  const [of, call] = [prepared(result), { name: GIVE_RESULT, json, cut: false, ...more }];
  await checkAhead(of, [call], 'rita');
  return admit(of, call);
}

describe('a result schema', () => {
  it('takes what fits it as it is, and names every place of what does not: many schemas', () =>
    fc.assert(
      fc.asyncProperty(
        typedResults.chain(({ schema, right, wrong }) => fc.tuple(fc.constant(schema), right, wrong)),
        async ([schema, right, wrong]) => {
          expect(await given(schema, JSON.stringify(right))).toMatchObject({ verdict: 'allow', input: right });
          expect(isMisfit(resultSchema(schema), right)).toBe(false);
          const { verdict, error } = await given(schema, JSON.stringify(wrong.value));
          expect(verdict).toBe('rejected');
          for (const { path, says } of error!.reason === 'not_an_object' ? [] : wrong.at) {
            expect(error!.details).toContainEqual({ path, message: expect.stringContaining(says) });
            expect(error!.message).toContain(`${path === '' ? 'input' : path} `);
          }
          expect(isMisfit(resultSchema(schema), wrong.value)).toBe(true);
        },
      ),
      { numRuns: runs(100, 500) },
    ));

  it('may be zod or JSON Schema, and is closed and without defaults, as the model and its reader see it', () => {
    const zod = z.object({ cents: z.number().int(), currency: z.string().default('EUR'), note: z.string().optional() });
    const schema = resultSchema(zod);
    expect(schema).toMatchObject({ required: ['cents', 'currency'], additionalProperties: false });
    expect(JSON.stringify(schema)).not.toContain('EUR');
    const json: JsonObject = { type: 'object', properties: { a: { type: 'string', default: 'x' } } };
    expect(resultSchema(json)).toEqual({ type: 'object', properties: { a: { type: 'string' } }, additionalProperties: false });
    expect(describeAgent(agent(json), true).result).toEqual(resultSchema(json));
    expect(describeAgent(defineAgent({ name: 'a', prompt: 'p', tools: [] }), true).result).toBeNull();
  });

  it('may have a field that says that something was approved: no call depends on it', async () => {
    const claim = z.object({ approved: z.boolean() });
    expect(await given(claim, '{"approved": true}')).toMatchObject({ verdict: 'allow' });
  });

  it.each<[string, unknown, string]>([
    ['a text', 'text', 'result must be a zod object or a JSON Schema'],
    ['a list', z.array(z.string()), 'result must be a schema of type object; its type is "array"'],
    ['a transform', z.object({ on: z.string().transform((text) => new Date(text)) }), 'Transforms cannot be represented'],
    ['a hidden transform', z.object({ n: z.string().transform(Number).pipe(z.number()) }), 'it has a transform'],
    ['a date', z.object({ on: z.date() }), 'result is not a usable schema'],
    [
      'a far reference',
      { type: 'object', properties: { a: { $ref: 'https://example.com/a.json' } } },
      'result is not a usable schema',
    ],
    ['an asynchronous refinement', z.object({ n: z.number().refine(async () => true) }), 'asynchronous refinement at /n'],
  ])('cannot be %s', (_what, result, fault) => {
    expect(() => agent(result as never)).toThrow(fault);
  });

  it('is refused a tool of the same name', () => {
    const tool = { name: GIVE_RESULT, version: '1.0.0', class: 'read', description: 'x', input: z.object({}), run: () => null };
    expect(() => agent(z.object({}), { tools: [tool] })).toThrow();
  });
});

describe('an answer', () => {
  const result = z.object({ n: z.number() });

  it('is not taken beside other calls, from a direct call, or if it is too large', async () => {
    expect(await given(result, '{"n": 1}', { beside: true })).toMatchObject({ error: { reason: 'not_alone' } });
    expect(await given(result, '{"n": 1}', { direct: true })).toMatchObject({ error: { reason: 'no_model' } });
    const long = JSON.stringify({ text: 'x'.repeat(RESULT_BYTES) });
    expect(await given(z.object({ text: z.string() }), long)).toMatchObject({ error: { reason: 'too_large' } });
  });

  const answered = (content: JsonObject[], stopReason: ModelResponse['stopReason'] = 'end_turn') =>
    withResultCall({ content, stopReason, rawToolInputs: [], raw: ['as it came'] } as unknown as ModelResponse);
  const text = (words: string) => ({ type: 'text', text: words });

  it('without a call is read as the result, whatever it says', () => {
    const thought = { type: 'thinking', thinking: 'Hm.', signature: 's' };
    expect(answered([thought, text(' {"n": '), text('1} ')])).toMatchObject({
      content: [thought, { type: 'tool_use', name: GIVE_RESULT }],
      rawToolInputs: [{ block: 1, json: '{"n": 1}' }],
    });
    const words = answered([text('It is 1.')]);
    expect(words.content).toMatchObject([text('It is 1.'), { type: 'tool_use', input: {} }]);
    expect(words.rawToolInputs).toEqual([{ block: 1, json: 'It is 1.' }]);
    expect(words).not.toHaveProperty('raw');
  });

  it('that was cut, refused or paused, or has calls, is left as it is', () => {
    for (const reason of ['max_tokens', 'refusal', 'pause_turn', 'model_context_window_exceeded'] as const)
      expect(answered([text('{"n": 1}')], reason).content).toEqual([text('{"n": 1}')]);
    const call = { type: 'tool_use', id: 'a', name: 'read', input: {} };
    expect(answered([text('{"n": 1}'), call], 'tool_use').content).toEqual([text('{"n": 1}'), call]);
  });

  it('is taken only as JSON of one meaning: any text', () =>
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (words) => {
        const { content, rawToolInputs } = answered([text(words)]);
        expect(content.filter(({ type }) => type === 'tool_use')).toHaveLength(1);
        expect(rawToolInputs).toEqual([{ block: content.length - 1, json: expect.any(String) }]);
      }),
    ));
});
