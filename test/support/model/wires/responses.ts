/** The Responses protocol, by its public reference. */
import type { Json, JsonObject } from '../../../../src/shared/json/json';
import type { WireAnswer } from '../../../../src/testing/model-conformance';
import { piecesOf, type Wire } from './server';

export const RESPONSES: Wire = {
  basePath: '/v1',
  path: /^\/v1\/responses$/,
  frames: (answer, { model = 'model-1' }) => {
    const { stop, usage = { input: 10, output: 5, cacheRead: 0 } } = answer;
    const items = itemsOf(answer);
    const response = { id: 'resp_1', object: 'response', created_at: 1, model };
    let sequence = 0;
    const event = (type: string, more: object) =>
      `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: sequence++, ...more })}\n\n`;
    const incomplete = stop === 'max_tokens' ? 'max_output_tokens' : stop === 'refusal' ? 'content_filter' : null;
    const end = {
      ...response,
      status: incomplete === null ? 'completed' : 'incomplete',
      incomplete_details: incomplete === null ? null : { reason: incomplete },
      output: items,
      usage: {
        input_tokens: usage.input,
        input_tokens_details: { cached_tokens: usage.cacheRead },
        output_tokens: usage.output,
        output_tokens_details: { reasoning_tokens: 0 },
        total_tokens: usage.input + usage.output,
      },
    };
    return [
      event('response.created', { response: { ...response, status: 'in_progress', output: [] } }),
      ...items.flatMap((item, output_index) => itemEvents(event, item, output_index)),
      event(incomplete === null ? 'response.completed' : 'response.incomplete', { response: end }),
    ];
  },
  heard: ({ tools = [], input = [] }) => ({
    tools: (tools as JsonObject[]).map(({ name = '', description = '', parameters = {} }) => ({
      name,
      description,
      input_schema: parameters,
    })),
    messages: (input as JsonObject[]).flatMap(itemHeard),
  }),
  errorFrame: () =>
    `event: error\ndata: ${JSON.stringify({ type: 'error', code: 'server_error', message: 'The server is overloaded.', param: null, sequence_number: 9 })}\n\n`,
  errorBody: (status, message) => ({
    error: { message, type: status === 429 ? 'rate_limit_error' : 'error', code: null, param: null },
  }),
};

/** Reasoning, and references to what the vendor keeps, say nothing to a script. */
function itemHeard({ type = 'message', role = '', ...item }: JsonObject): JsonObject[] {
  if (type === 'function_call') {
    const input = JSON.parse(String(item.arguments)) as JsonObject;
    return [{ role: 'assistant', content: [{ type: 'tool_use', id: item.call_id ?? '', name: item.name ?? '', input }] }];
  }
  if (type === 'function_call_output') {
    const content = [{ type: 'tool_result', tool_use_id: item.call_id ?? '', content: textHeard(item.output) }];
    return [{ role: 'user', content }];
  }
  if (type !== 'message' || (role !== 'user' && role !== 'assistant')) return [];
  return [{ role, content: textHeard(item.content) }];
}

function textHeard(content: Json = ''): string {
  return typeof content === 'string' ? content : (content as JsonObject[]).map(({ text = '' }) => String(text)).join('\n');
}

/** An item begins without what its events bring. */
const EMPTY: Readonly<Record<string, JsonObject>> = {
  function_call: { arguments: '' },
  message: { content: [] },
  reasoning: { summary: [] },
};

type Event = (type: string, more: object) => string;

function itemEvents(event: Event, item: JsonObject, output_index: number): string[] {
  const added = event('response.output_item.added', {
    output_index,
    item: { ...item, ...EMPTY[String(item.type)], status: 'in_progress' },
  });
  const done = event('response.output_item.done', { output_index, item });
  const item_id = item.id;
  if (item.type === 'function_call') {
    const pieces = piecesOf(String(item.arguments));
    return [
      added,
      ...pieces.map((delta) => event('response.function_call_arguments.delta', { item_id, output_index, delta })),
      event('response.function_call_arguments.done', { item_id, output_index, name: item.name, arguments: item.arguments }),
      done,
    ];
  }
  if (item.type !== 'message') {
    const text = ((item.summary as JsonObject[])[0] ?? {}).text ?? '';
    const part = { item_id, output_index, summary_index: 0 };
    return [
      added,
      event('response.reasoning_summary_part.added', { ...part, part: { type: 'summary_text', text: '' } }),
      ...piecesOf(String(text)).map((delta) => event('response.reasoning_summary_text.delta', { ...part, delta })),
      event('response.reasoning_summary_text.done', { ...part, text }),
      event('response.reasoning_summary_part.done', { ...part, part: { type: 'summary_text', text } }),
      done,
    ];
  }
  const text = String((item.content as JsonObject[])[0]!.text);
  const part = { item_id, output_index, content_index: 0 };
  return [
    added,
    event('response.content_part.added', { ...part, part: { type: 'output_text', text: '', annotations: [] } }),
    ...piecesOf(text).map((delta) => event('response.output_text.delta', { ...part, delta })),
    event('response.output_text.done', { ...part, text }),
    event('response.content_part.done', { ...part, part: { type: 'output_text', text, annotations: [] } }),
    done,
  ];
}

function itemsOf({ thinking, text, calls = [] }: WireAnswer): JsonObject[] {
  return [
    ...(thinking === undefined
      ? []
      : [
          {
            type: 'reasoning',
            id: 'rs_1',
            status: 'completed',
            summary: [{ type: 'summary_text', text: thinking }],
            encrypted_content: 'encrypted-thought',
          },
        ]),
    ...(text === undefined
      ? []
      : [
          {
            type: 'message',
            id: 'msg_1',
            role: 'assistant',
            status: 'completed',
            content: [{ type: 'output_text', text, annotations: [], logprobs: [] }],
          },
        ]),
    ...calls.map(({ id, name, json }, index) => ({
      type: 'function_call',
      id: `fc_${index}`,
      call_id: id,
      name,
      arguments: json,
      status: 'completed',
    })),
  ];
}
