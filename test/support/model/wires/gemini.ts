/** The protocol of Google's `streamGenerateContent`, by its public reference. Calls come whole, and have no ids. */
import type { JsonObject } from '../../../../src/shared/json/json';
import type { WireAnswer } from '../../../../src/testing/model-conformance';
import { piecesOf, type Wire } from './server';

const FINISH = { end_turn: 'STOP', tool_use: 'STOP', max_tokens: 'MAX_TOKENS', refusal: 'SAFETY' } as const;

export const GEMINI: Wire = {
  basePath: '/v1beta',
  path: /^\/v1beta\/models\/model-1:streamGenerateContent\?alt=sse$/,
  frames: (answer) => {
    const { stop = 'end_turn', usage = { input: 10, output: 5, cacheRead: 0 } } = answer;
    const usageMetadata = {
      promptTokenCount: usage.input,
      candidatesTokenCount: usage.output,
      totalTokenCount: usage.input + usage.output,
      cachedContentTokenCount: usage.cacheRead,
    };
    const parts = partsOf(answer);
    return [
      ...parts.map((part) => frame({ candidates: [{ content: { role: 'model', parts: [part] }, index: 0 }] })),
      frame({
        candidates: [{ content: { role: 'model', parts: [] }, finishReason: FINISH[stop as keyof typeof FINISH], index: 0 }],
        usageMetadata,
        modelVersion: 'model-1',
        responseId: 'resp_1',
      }),
    ];
  },
  heard: ({ tools = [], contents = [] }) => ({
    tools: (tools as { functionDeclarations?: JsonObject[] }[]).flatMap(({ functionDeclarations = [] }) =>
      functionDeclarations.map(({ name = '', description = '', parameters = {} }) => ({
        name,
        description,
        input_schema: parameters,
      })),
    ),
    messages: messagesHeard(contents as JsonObject[]),
  }),
  errorFrame: () => frame({ error: { code: 503, message: 'The model is overloaded.', status: 'UNAVAILABLE' } }),
  errorBody: (status, message) => ({ error: { code: status, message, status: status === 429 ? 'RESOURCE_EXHAUSTED' : 'ERROR' } }),
};

function partsOf({ thinking = '', text = '', calls = [] }: WireAnswer): JsonObject[] {
  return [
    ...piecesOf(thinking).map((piece) => ({ text: piece, thought: true, thoughtSignature: 'signed-thought' })),
    ...piecesOf(text).map((piece) => ({ text: piece })),
    ...calls.map(({ name, json }) => ({
      functionCall: { name, args: JSON.parse(json) as JsonObject },
      ...(thinking === '' ? {} : { thoughtSignature: 'signed-thought' }),
    })),
  ];
}

/** Calls and their results have no ids: they stand in the same order. */
function messagesHeard(contents: readonly JsonObject[]): JsonObject[] {
  let [calls, results] = [0, 0];
  return contents.map(({ role = '', parts = [] }) => ({
    role: role === 'model' ? 'assistant' : role,
    content: (parts as Part[]).flatMap(({ text, thought, functionCall, functionResponse }): JsonObject[] => {
      if (functionCall) return [{ type: 'tool_use', id: `call ${calls++}`, name: functionCall.name, input: functionCall.args }];
      if (functionResponse)
        return [{ type: 'tool_result', tool_use_id: `call ${results++}`, content: functionResponse.response.content }];
      return text === undefined || thought ? [] : [{ type: 'text', text }];
    }),
  }));
}

interface Part {
  text?: string;
  thought?: boolean;
  functionCall?: { name: string; args: JsonObject };
  functionResponse?: { name: string; response: { content: string } };
}

function frame(data: object): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}
