/** The Messages protocol, by its public reference. */
import type { JsonObject } from '../../../../src/shared/json/json';
import type { WireAnswer } from '../../../../src/testing/model-conformance';
import { piecesOf, type Wire } from './server';

export const MESSAGES: Wire = {
  basePath: '',
  path: /^\/v1\/messages(\?.*)?$/,
  frames: (answer, { model = 'model-1' }) => {
    const { stop, calls = [], usage = { input: 10, output: 5, cacheRead: 0 } } = answer;
    const tokens = {
      input_tokens: usage.input - usage.cacheRead,
      cache_read_input_tokens: usage.cacheRead,
      cache_creation_input_tokens: 0,
      output_tokens: 1,
    };
    const message = {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: tokens,
    };
    return [
      frame({ type: 'message_start', message }),
      ...blocksOf(answer).flatMap(({ block, deltas }, index) => [
        frame({ type: 'content_block_start', index, content_block: block }),
        ...deltas.map((delta) => frame({ type: 'content_block_delta', index, delta })),
        frame({ type: 'content_block_stop', index }),
      ]),
      frame({
        type: 'message_delta',
        delta: { stop_reason: stop ?? (calls.length > 0 ? 'tool_use' : 'end_turn'), stop_sequence: null },
        usage: { output_tokens: usage.output },
      }),
      frame({ type: 'message_stop' }),
    ];
  },
  heard: (request) => request,
  errorFrame: () => frame({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }),
  errorBody: (status, message) => ({
    type: 'error',
    error: { type: status === 429 ? 'rate_limit_error' : 'api_error', message },
  }),
};

/** The same on Vertex AI: only the address differs, and the body has no model. */
export const VERTEX_MESSAGES: Wire = {
  ...MESSAGES,
  path: /^\/projects\/acme\/locations\/europe-west1\/publishers\/anthropic\/models\/model-1:streamRawPredict$/,
};

function blocksOf({ thinking, text, calls = [] }: WireAnswer): { block: JsonObject; deltas: JsonObject[] }[] {
  return [
    ...(thinking === undefined
      ? []
      : [
          {
            block: { type: 'thinking', thinking: '', signature: '' },
            deltas: [
              ...piecesOf(thinking).map((piece) => ({ type: 'thinking_delta', thinking: piece })),
              { type: 'signature_delta', signature: 'signed-thought' },
            ],
          },
        ]),
    ...(text === undefined
      ? []
      : [{ block: { type: 'text', text: '' }, deltas: piecesOf(text).map((piece) => ({ type: 'text_delta', text: piece })) }]),
    ...calls.map(({ id, name, json }) => ({
      block: { type: 'tool_use', id, name, input: {} },
      deltas: piecesOf(json).map((piece) => ({ type: 'input_json_delta', partial_json: piece })),
    })),
  ];
}

function frame(data: JsonObject & { type: string }): string {
  return `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
}
