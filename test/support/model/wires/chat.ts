/** The chat completions protocol, by its public reference. */
import type { Wire } from './server';
import { piecesOf } from './server';

const FINISH = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  max_tokens: 'length',
  tool_use: 'tool_calls',
  refusal: 'content_filter',
} as const;

export const CHAT: Wire = {
  basePath: '/v1',
  path: /^\/v1\/chat\/completions$/,
  frames: ({ thinking = '', text = '', calls = [], stop, usage }, { model = 'model-1' }) => {
    const head = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model };
    const chunk = (delta: object, finish_reason: string | null = null) =>
      frame({ ...head, choices: [{ index: 0, delta, finish_reason }] });
    const reason = stop ?? (calls.length > 0 ? 'tool_use' : 'end_turn');
    return [
      chunk({ role: 'assistant', content: '' }),
      ...piecesOf(thinking).map((piece) => chunk({ reasoning_content: piece })),
      ...piecesOf(text).map((piece) => chunk({ content: piece })),
      ...calls.flatMap(({ id, name, json }, index) => [
        chunk({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] }),
        ...piecesOf(json).map((piece) => chunk({ tool_calls: [{ index, function: { arguments: piece } }] })),
      ]),
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
  },
  errorFrame: () => frame({ error: { message: 'The server is overloaded.', type: 'server_error', code: null, param: null } }),
  errorBody: (status, message) => ({
    error: { message, type: status === 429 ? 'rate_limit_error' : 'error', code: null, param: null },
  }),
};

function frame(data: object): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}
