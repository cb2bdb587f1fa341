/**
 * Mistral's chat completions, by their public reference: thoughts are parts of the content, each call comes whole, and the last chunk
 * has the tokens beside its reason.
 */
import { CHAT } from './chat';
import { piecesOf, type Wire } from './server';

const FINISH = { end_turn: 'stop', max_tokens: 'length', tool_use: 'tool_calls' } as const;

export const MISTRAL: Wire = {
  ...CHAT,
  frames: (
    { thinking = '', text = '', calls = [], stop, usage = { input: 10, output: 5, cacheRead: 0 } },
    { model = 'model-1' },
  ) => {
    const chunk = (delta: object, finish_reason: string | null = null, more: object = {}) =>
      `data: ${JSON.stringify({ id: 'cmpl-1', object: 'chat.completion.chunk', created: 1, model, choices: [{ index: 0, delta, finish_reason }], ...more })}\n\n`;
    const reason = stop ?? (calls.length > 0 ? 'tool_use' : 'end_turn');
    return [
      chunk({ role: 'assistant', content: '' }),
      ...piecesOf(thinking).map((piece) => chunk({ content: [{ type: 'thinking', thinking: [{ type: 'text', text: piece }] }] })),
      ...piecesOf(text).map((piece) => chunk({ content: piece })),
      ...calls.map(({ id, name, json }, index) =>
        chunk({ content: '', tool_calls: [{ id, index, type: 'function', function: { name, arguments: json } }] }),
      ),
      chunk({ content: '' }, FINISH[reason as keyof typeof FINISH], {
        usage: {
          prompt_tokens: usage.input,
          completion_tokens: usage.output,
          total_tokens: usage.input + usage.output,
          num_cached_tokens: usage.cacheRead,
        },
      }),
      'data: [DONE]\n\n',
    ];
  },
  errorFrame: () =>
    `data: ${JSON.stringify({ object: 'error', message: 'Service unavailable.', type: 'service_unavailable', code: '3000' })}\n\n`,
  errorBody: (_status, message) => ({ object: 'error', message, type: 'error', param: null, code: null }),
};
