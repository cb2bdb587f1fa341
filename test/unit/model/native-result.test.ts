/** The result of an agent on each vendor's wire: as its structured output, or as a tool. */
import { toCallOptions } from '../../../src/model/ai-sdk/prompt';
import { toWire } from '../../../src/model/anthropic/wire';
import { nativeResult } from '../../../src/model/prompted/native-result';
import { toChatBody } from '../../../src/model/openai/chat-request';
import { toResponsesBody } from '../../../src/model/openai/responses-request';
import type { ModelMessage, ModelRequest } from '../../../src/model/provider';
import { withPromptedTools } from '../../../src/model/prompted/prompted-tools';
import { strictSchema } from '../../../src/model/schemas/strict';
import { ANTHROPIC_SUBSET } from '../../../src/model/schemas/subsets';
import type { JsonObject } from '../../../src/shared/json/json';
import { PAY, request } from '../../support/model/model';

const schema = {
  type: 'object',
  properties: { cents: { type: 'integer', minimum: 1 }, note: { type: 'string', pattern: '^x' } },
  required: ['cents', 'note'],
  additionalProperties: false,
};
const GIVE = { name: 'give_result', description: 'Gives it.', input_schema: schema };
const use = (id: string, name: string, input: JsonObject) => ({ type: 'tool_use', id, name, input });
const result = (id: string, text: string) => ({ type: 'tool_result', tool_use_id: id, content: [{ type: 'text', text }] });
const text = (words: string) => ({ type: 'text', text: words });
const user = (...content: JsonObject[]): ModelMessage => ({ role: 'user', content });
const answer = (...content: JsonObject[]): ModelMessage => ({ role: 'assistant', content });

const typed = (more: Partial<ModelRequest> = {}) => request({ tools: [PAY, GIVE], resultTool: 'give_result', ...more });
const dialect = { provider: 'p', maxTokensField: 'max_tokens' } as const;
const enforceable = (one: JsonObject) => strictSchema(one, ANTHROPIC_SUBSET).schema;
const names = (tools: any) => tools.map((tool: any) => tool.name ?? tool.function.name);

describe('where the vendor enforces a schema', () => {
  it('each wire has the format, and the model does not see the tool', () => {
    const anthropic = toWire(typed({ options: { output_config: { effort: 'low' } } }), { structuredOutputs: true });
    expect(anthropic.output_config).toEqual({ effort: 'low', format: { type: 'json_schema', schema: enforceable(schema) } });
    const chat = toChatBody(typed(), { ...dialect, structuredOutputs: true });
    expect(chat.response_format).toEqual({ type: 'json_schema', json_schema: { name: 'result', schema, strict: true } });
    const responses = toResponsesBody(typed({ options: { text: { verbosity: 'low' } } }), 'p', true);
    expect(responses.text).toEqual({ verbosity: 'low', format: { type: 'json_schema', name: 'result', schema, strict: true } });
    const aiSdk = toCallOptions(typed(), 'p', 'v3', { structuredOutputs: true });
    expect(aiSdk.responseFormat).toEqual({ type: 'json', name: 'result', schema });
    for (const { tools } of [anthropic, chat, responses, aiSdk]) expect(names(tools)).toEqual(['pay_invoice']);
  });

  it('Anthropic gets only the keywords that it enforces, and names of fields are no keywords', () => {
    expect(enforceable(schema)).toEqual({
      ...schema,
      properties: { cents: { type: 'integer' }, note: { type: 'string' } },
    });
    const odd = {
      type: 'object',
      properties: { pattern: { enum: ['minimum'] } },
      required: ['pattern'],
      additionalProperties: false,
    };
    expect(enforceable(odd)).toEqual(odd);
    const recursive = { ...odd, properties: { pattern: { $ref: '#' } } };
    expect(enforceable(recursive)).toBeNull();
  });

  it('a schema whose shape cannot be kept is given by the call', () => {
    const tools = [{ ...GIVE, input_schema: { ...schema, patternProperties: { '^x': { type: 'string' } } } }];
    const body = toWire(typed({ tools }), { structuredOutputs: true });
    expect(body).not.toHaveProperty('output_config');
    expect(names(body.tools)).toEqual(['give_result']);
    const mayBeAbsent = typed({ tools: [{ ...GIVE, input_schema: { ...schema, required: ['cents'] } }] });
    for (const openai of [
      toChatBody(mayBeAbsent, { ...dialect, structuredOutputs: true }),
      toResponsesBody(mayBeAbsent, 'p', true),
      toCallOptions(mayBeAbsent, 'p', 'v4', { structuredOutputs: true, vendorName: 'openai.chat' }),
    ])
      expect(names(openai.tools)).toEqual(['give_result']);
    expect(toWire(mayBeAbsent, { structuredOutputs: true })).toHaveProperty('output_config');
  });

  it('earlier results are the text that they were, and what was said of them is a message', () => {
    const messages = [
      user(text('Go.')),
      answer(use('a', 'pay_invoice', {}), use('b', 'give_result', { cents: 7 })),
      user(result('b', 'not alone'), result('a', 'paid'), text('Hurry.')),
      answer(text('It is 7.'), use('c', 'give_result', {})),
      user(result('c', 'no JSON')),
    ];
    const native = nativeResult(typed({ messages }), null)!;
    expect(native.request.messages).toEqual([
      user(text('Go.')),
      answer(use('a', 'pay_invoice', {}), text('{"cents":7}')),
      user(result('a', 'paid'), text('not alone'), text('Hurry.')),
      answer(text('It is 7.')),
      user(text('no JSON')),
    ]);
    expect(native.request).not.toHaveProperty('resultTool');
  });
});

describe('elsewhere', () => {
  it('the model has the tool, and no format', () => {
    const bodies = [
      toWire(typed()),
      toChatBody(typed(), { ...dialect, structuredOutputs: false }),
      toResponsesBody(typed(), 'p'),
      toCallOptions(typed(), 'p', 'v4'),
    ];
    for (const body of bodies) {
      expect(names(body.tools)).toEqual(['pay_invoice', 'give_result']);
      for (const field of ['output_config', 'response_format', 'text', 'responseFormat']) expect(body).not.toHaveProperty(field);
    }
  });

  it('a request without a result stays as it is, also where the vendor could enforce one', () => {
    const { resultTool: _, ...plain } = typed();
    expect(toWire(plain, { structuredOutputs: true })).toEqual(toWire(plain));
  });

  it('tools in words include it', async () => {
    let seen: ModelRequest | undefined;
    const model = withPromptedTools({
      name: 'm',
      request: async (one) => {
        seen = one;
        throw new Error('enough');
      },
    });
    await expect(model.request(typed(), { signal: new AbortController().signal })).rejects.toThrow('enough');
    expect(seen!.system).toContain('## give_result');
    expect(seen).not.toHaveProperty('resultTool');
  });
});
