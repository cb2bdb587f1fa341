/** What the vendors' own tools did is in the answer's content, in one form, so that rules and the record see it. */
import { AiSdkAccumulator } from '../../../src/model/ai-sdk/answer';
import { ResponsesAccumulator } from '../../../src/model/openai/responses-answer';
import { toCallOptions } from '../../../src/model/ai-sdk/prompt';
import { toResponsesBody } from '../../../src/model/openai/responses-request';
import { costUsd } from '../../../src/model/prices';
import type { ModelMessage, ModelRequest, ModelResponse } from '../../../src/model/provider';
import type { JsonObject } from '../../../src/shared/json/json';

const TEXT: JsonObject = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'I pay.' }] };
const CALL: JsonObject = { type: 'function_call', call_id: 'call_1', name: 'pay', arguments: '{"cents":1}' };

/** The request after an answer of this provider, whose call has a result. */
function after(provider: string, { content, raw }: ModelResponse): ModelRequest {
  const result = { type: 'tool_result', tool_use_id: 'call_1', content: [{ type: 'text', text: 'paid' }] };
  const messages: ModelMessage[] = [
    { role: 'user', content: [{ type: 'text', text: 'Pay.' }] },
    { role: 'assistant', content, origin: { provider, raw: raw! } },
    { role: 'user', content: [result] },
  ];
  return { model: 'm', system: '', messages, tools: [], serverTools: [], maxTokens: 10, options: {} };
}

function responses(...output: JsonObject[]): ModelResponse {
  const answer = new ResponsesAccumulator();
  answer.push({ type: 'response.completed', response: { id: 'resp_1', status: 'completed', output } });
  return answer.finish(null, 'm');
}

describe('the Responses API', () => {
  it.each<[JsonObject, string, JsonObject]>([
    [
      { type: 'web_search_call', action: { type: 'search', query: 'x' } },
      'web_search',
      { action: { type: 'search', query: 'x' } },
    ],
    [{ type: 'file_search_call', queries: ['x'], results: [{ text: 'long' }] }, 'file_search', { queries: ['x'] }],
    [{ type: 'code_interpreter_call', code: '1 + 1', outputs: null }, 'code_interpreter', { code: '1 + 1' }],
    [{ type: 'image_generation_call', result: 'base64' }, 'image_generation', {}],
    [
      { type: 'mcp_call', server_label: 'shop', name: 'buy', arguments: '{}', output: 'bought' },
      'mcp',
      { server_label: 'shop', name: 'buy', arguments: '{}' },
    ],
    [{ type: 'mcp_list_tools', server_label: 'shop', tools: [] }, 'mcp', { server_label: 'shop' }],
  ])('%j', (item, name, input) => {
    const { content, raw, rawToolInputs, stopReason } = responses({ id: 'it_1', ...item }, TEXT, CALL);
    expect(content[0]).toEqual({ type: 'server_tool_use', id: 'it_1', name, input });
    expect(content.map(({ type }) => type)).toEqual(['server_tool_use', 'text', 'tool_use']);
    expect(rawToolInputs).toEqual([{ block: 2, json: '{"cents":1}' }]);
    expect([stopReason, raw]).toEqual(['tool_use', [{ id: 'it_1', ...item }, TEXT, CALL]]);
  });

  it('counts the web searches that cost extra: no page that was opened, and no tool that costs tokens only', () => {
    const web = (action?: string): JsonObject => ({ type: 'web_search_call', ...(action ? { action: { type: action } } : {}) });
    const output = [web('search'), web('open_page'), web('find_in_page'), web(), { type: 'file_search_call' }, TEXT];
    const { usage } = responses(...output);
    expect(usage).toMatchObject({ web_searches: 2 });
    expect(costUsd({ asked: 'm', answered: 'm' }, usage).usd).toBe(0.02);
    expect(responses(TEXT).usage).not.toHaveProperty('web_searches');
  });

  it('has no such use in its words, its thoughts and its calls of our tools', () => {
    const reasoning: JsonObject = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'x' };
    const { content } = responses(reasoning, TEXT, CALL, { type: 'compaction', id: 'c_1' });
    expect(content.map(({ type }) => type)).toEqual(['text', 'tool_use']);
  });
});

test('the Responses API gets its own form of the answer back, and another vendor the words and calls only', () => {
  const search: JsonObject = { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query: 'x' } };
  const request = after('openai', responses(search, TEXT, CALL));
  expect(toResponsesBody(request, 'openai').input).toEqual(expect.arrayContaining([search, TEXT, CALL]));
  expect(JSON.stringify(toResponsesBody(request, 'other').input)).not.toContain('search');
  expect(JSON.stringify(toCallOptions(request, 'google', 'v3').prompt)).not.toContain('search');
});

test('the AI SDK: a call that the vendor ran', () => {
  const answer = new AiSdkAccumulator();
  const ran = { toolCallId: 'ws_1', toolName: 'web_search', providerExecuted: true };
  answer.push({ type: 'tool-call', ...ran, input: '{"query":"x"}' });
  answer.push({ type: 'tool-result', ...ran, result: [] });
  answer.push({ type: 'tool-call', toolCallId: 'call_1', toolName: 'pay', input: '{"cents":1}' });
  answer.push({ type: 'finish', finishReason: { unified: 'tool-calls', raw: 'tool_calls' } });
  const response = answer.finish(null, 'm', 1);
  const { content, rawToolInputs, raw } = response;
  expect(content).toEqual([
    { type: 'server_tool_use', id: 'ws_1', name: 'web_search', input: { query: 'x' } },
    { type: 'tool_use', id: 'call_1', name: 'pay', input: { cents: 1 } },
  ]);
  expect(rawToolInputs).toEqual([{ block: 1, json: '{"cents":1}' }]);
  expect(raw).toMatchObject([{ type: 'tool-call', providerExecuted: true }, { type: 'tool-result' }, { type: 'tool-call' }]);
  const { prompt } = toCallOptions(after('google', response), 'google', 'v3');
  expect(prompt[1]).toEqual({ role: 'assistant', content: raw });
});
