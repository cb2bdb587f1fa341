/** The protocol of Amazon Bedrock's `converse-stream`, by its public reference: binary frames of an event stream. */
import { EventStreamCodec } from '@smithy/eventstream-codec';
import type { JsonObject } from '../../../../src/shared/json/json';
import type { WireAnswer } from '../../../../src/testing/model-conformance';
import { MESSAGES } from './messages';
import { piecesOf, type Wire } from './server';

const STOP = { refusal: 'guardrail_intervened' } as Readonly<Record<string, string>>;
const codec = new EventStreamCodec(
  (input) => Buffer.from(input as Uint8Array).toString('utf8'),
  (text) => Buffer.from(text, 'utf8'),
);

/** Anthropic's models on Bedrock: the events of the Messages API, each in a binary frame. */
export const BEDROCK_MESSAGES: Wire = {
  ...MESSAGES,
  contentType: 'application/vnd.amazon.eventstream',
  path: /^\/model\/model-1\/invoke-with-response-stream$/,
  frames: (answer, request) =>
    MESSAGES.frames(answer, request).map((event) => {
      const data = /^data: (.*)$/m.exec(String(event))![1]!;
      return frame('chunk', { bytes: Buffer.from(data).toString('base64') });
    }),
  errorFrame: () => frame('serviceUnavailableException', { message: 'Too many requests.' }, 'exception'),
  errorBody: (status, message) => ({ message, type: status === 429 ? 'ThrottlingException' : 'Exception' }),
};

export const BEDROCK: Wire = {
  basePath: '',
  contentType: 'application/vnd.amazon.eventstream',
  path: /^\/model\/model-1\/converse-stream$/,
  frames: (answer) => {
    const { calls = [], usage = { input: 10, output: 5, cacheRead: 0 } } = answer;
    const stop = answer.stop ?? (calls.length > 0 ? 'tool_use' : 'end_turn');
    return [
      frame('messageStart', { role: 'assistant' }),
      ...blocksOf(answer).flatMap(({ start, deltas }, contentBlockIndex) => [
        ...(start === null ? [] : [frame('contentBlockStart', { contentBlockIndex, start })]),
        ...deltas.map((delta) => frame('contentBlockDelta', { contentBlockIndex, delta })),
        frame('contentBlockStop', { contentBlockIndex }),
      ]),
      frame('messageStop', { stopReason: STOP[stop] ?? stop }),
      frame('metadata', {
        usage: {
          inputTokens: usage.input - usage.cacheRead,
          outputTokens: usage.output,
          totalTokens: usage.input + usage.output,
          cacheReadInputTokens: usage.cacheRead,
        },
        metrics: { latencyMs: 1 },
      }),
    ];
  },
  heard: ({ toolConfig = {}, messages = [] }) => ({
    tools: ((toolConfig as { tools?: { toolSpec: ToolSpec }[] }).tools ?? []).map(
      ({ toolSpec: { name, description, inputSchema } }) => ({ name, description, input_schema: inputSchema.json }),
    ),
    messages: (messages as JsonObject[]).map(({ role = '', content = [] }) => ({
      role,
      content: (content as Content[]).flatMap(contentHeard),
    })),
  }),
  errorFrame: () => frame('throttlingException', { message: 'Too many requests.' }, 'exception'),
  errorBody: (status, message) => ({ message, type: status === 429 ? 'ThrottlingException' : 'Exception' }),
};

function blocksOf({ thinking, text, calls = [] }: WireAnswer): { start: JsonObject | null; deltas: JsonObject[] }[] {
  return [
    ...(thinking === undefined
      ? []
      : [
          {
            start: null,
            deltas: [
              ...piecesOf(thinking).map((piece) => ({ reasoningContent: { text: piece } })),
              { reasoningContent: { signature: 'signed-thought' } },
            ],
          },
        ]),
    ...(text === undefined ? [] : [{ start: null, deltas: piecesOf(text).map((piece) => ({ text: piece })) }]),
    ...calls.map(({ id, name, json }) => ({
      start: { toolUse: { toolUseId: id, name } },
      deltas: piecesOf(json).map((piece) => ({ toolUse: { input: piece } })),
    })),
  ];
}

interface ToolSpec {
  name: string;
  description: string;
  inputSchema: { json: JsonObject };
}

interface Content {
  text?: string;
  toolUse?: { toolUseId: string; name: string; input: JsonObject };
  toolResult?: { toolUseId: string; content: { text: string }[]; status?: string };
}

function contentHeard({ text, toolUse, toolResult }: Content): JsonObject[] {
  if (toolUse) return [{ type: 'tool_use', id: toolUse.toolUseId, name: toolUse.name, input: toolUse.input }];
  if (toolResult) {
    const content = toolResult.content.map((part) => part.text).join('\n');
    return [{ type: 'tool_result', tool_use_id: toolResult.toolUseId, content, is_error: toolResult.status === 'error' }];
  }
  return text === undefined ? [] : [{ type: 'text', text }];
}

function frame(type: string, data: object, messageType = 'event'): Buffer {
  const text = (value: string) => ({ type: 'string' as const, value });
  const kind = messageType === 'event' ? ':event-type' : ':exception-type';
  const headers = { ':message-type': text(messageType), [kind]: text(type), ':content-type': text('application/json') };
  return Buffer.from(codec.encode({ headers, body: Buffer.from(JSON.stringify(data)) }));
}
