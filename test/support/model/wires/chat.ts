/** The chat completions protocol, by its public reference. */
import type { JsonObject } from '../../../../src/shared/json/json';
import type { WireAnswer } from '../../../../src/testing/model-conformance';
import { piecesOf, type Wire } from './server';

const FINISH = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  max_tokens: 'length',
  tool_use: 'tool_calls',
  refusal: 'content_filter',
} as const;

type Call = NonNullable<WireAnswer['calls']>[number];

/** @param callDeltas of one call */
function framesWith(callDeltas: (call: Call, index: number) => object[]): Wire['frames'] {
  return ({ thinking = '', text = '', calls = [], stop, usage }, { model = 'model-1' }) => {
    const head = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model };
    const chunk = (delta: object, finish_reason: string | null = null) =>
      frame({ ...head, choices: [{ index: 0, delta, finish_reason }] });
    const reason = stop ?? (calls.length > 0 ? 'tool_use' : 'end_turn');
    return [
      chunk({ role: 'assistant', content: '' }),
      ...piecesOf(thinking).map((piece) => chunk({ reasoning_content: piece })),
      ...piecesOf(text).map((piece) => chunk({ content: piece })),
      ...calls.flatMap((call, index) => callDeltas(call, index).map((tool_call) => chunk({ tool_calls: [tool_call] }))),
      chunk({}, FINISH[reason as keyof typeof FINISH]),
      ...(usage === undefined
        ? []
        : [
            frame({
              ...head,
              choices: [],
              usage: {
                prompt_tokens: usage.input,
                completion_tokens: usage.output,
                total_tokens: usage.input + usage.output,
                prompt_tokens_details: { cached_tokens: usage.cacheRead },
              },
            }),
          ]),
      'data: [DONE]\n\n',
    ];
  };
}

export const CHAT: Wire = {
  basePath: '/v1',
  path: /^\/v1\/chat\/completions$/,
  frames: framesWith(({ id, name, json }, index) => [
    { index, id, type: 'function', function: { name, arguments: '' } },
    ...piecesOf(json).map((piece) => ({ index, function: { arguments: piece } })),
  ]),
  heard: ({ tools = [], messages = [] }) => ({
    tools: (tools as JsonObject[]).map((tool) => toolHeard(tool.function as JsonObject)),
    messages: (messages as JsonObject[]).flatMap(messageHeard),
  }),
  errorFrame: () => frame({ error: { message: 'The server is overloaded.', type: 'server_error', code: null, param: null } }),
  errorBody: (status, message) => ({
    error: { message, type: status === 429 ? 'rate_limit_error' : 'error', code: null, param: null },
  }),
};

/** xAI's: each call comes in one chunk. */
export const XAI_CHAT: Wire = {
  ...CHAT,
  frames: framesWith(({ id, name, json }, index) => [{ index, id, type: 'function', function: { name, arguments: json } }]),
};

function toolHeard({ name = '', description = '', parameters = {} }: JsonObject): JsonObject {
  return { name, description, input_schema: parameters };
}

function messageHeard({ role = '', content = null, tool_call_id = '', tool_calls = [] }: JsonObject): JsonObject[] {
  if (role === 'tool') return [{ role: 'user', content: [{ type: 'tool_result', tool_use_id: tool_call_id, content }] }];
  if (role === 'user') return [{ role, content }];
  if (role !== 'assistant') return [];
  const calls = (tool_calls as { id: string; function: { name: string; arguments: string } }[]).map(
    ({ id, function: called }): JsonObject => ({
      type: 'tool_use',
      id,
      name: called.name,
      input: JSON.parse(called.arguments) as JsonObject,
    }),
  );
  return [{ role, content: [...(content === null ? [] : [{ type: 'text', text: content }]), ...calls] }];
}

function frame(data: object): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}
