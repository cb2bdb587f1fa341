/** Each vendor says in its own words that a conversation is too long. All of them make room and go on (docs/sessions.md). */
import { createAmazonBedrock } from '@ai-sdk/amazon-bedrock';
import { createGoogleGenerativeAI } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { ApplicationFailure } from '@temporalio/activity';
import { asTooLong } from '../../../src/activities/step/compaction';
import { aiSdk } from '../../../src/model/ai-sdk/provider';
import type { AiSdkLanguageModel } from '../../../src/model/ai-sdk/types';
import { AnthropicProvider } from '../../../src/model/anthropic/provider';
import { exactStatus } from '../../../src/model/failure';
import { OpenAiProvider } from '../../../src/model/openai/provider';
import type { ModelFailure, ModelProvider } from '../../../src/model/provider';
import { BEDROCK } from '../../support/model/wires/bedrock';
import { CHAT } from '../../support/model/wires/chat';
import { GEMINI } from '../../support/model/wires/gemini';
import { MESSAGES } from '../../support/model/wires/messages';
import { RESPONSES } from '../../support/model/wires/responses';
import { startWireServer, type Wire } from '../../support/model/wires/server';

const GOOGLE = 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).';
const OPENAI = "This model's maximum context length is 128000 tokens. However, your messages resulted in 130000 tokens.";
const OPENAI_NEW = 'Your input exceeds the context window of this model. Please adjust your input and try again.';
const BEDROCK_WORDS = 'The model returned the following errors: Input is too long for requested model.';
const MISTRAL = 'Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length';
const XAI = "This model's maximum prompt length is 131072 but the request contains 537812 tokens.";
const LLAMA = 'the request exceeds the available context size, try increasing it';

const apiKey = 'k';
test.each<[string, Wire, (baseURL: string) => ModelProvider, string]>([
  [
    'Anthropic',
    MESSAGES,
    (baseUrl) => new AnthropicProvider({ apiKey, baseUrl }),
    'prompt is too long: 210000 tokens > 200000 maximum',
  ],
  ['OpenAI, responses', RESPONSES, (baseUrl) => new OpenAiProvider({ apiKey, baseUrl }), OPENAI_NEW],
  ['OpenAI, chat', CHAT, (baseUrl) => new OpenAiProvider({ apiKey, baseUrl, api: 'chat' }), OPENAI],
  ['llama.cpp', CHAT, (baseUrl) => new OpenAiProvider({ baseUrl, api: 'chat' }), LLAMA],
  ['AI SDK, OpenAI', RESPONSES, (baseURL) => aiSdk(createOpenAI({ apiKey, baseURL }).responses('model-1')), OPENAI_NEW],
  ['AI SDK, xAI by chat', CHAT, (baseURL) => aiSdk(compatible(baseURL)), XAI],
  ['AI SDK, Mistral by chat', CHAT, (baseURL) => aiSdk(compatible(baseURL)), MISTRAL],
  ['AI SDK, Google', GEMINI, (baseURL) => aiSdk(createGoogleGenerativeAI({ apiKey, baseURL })('model-1')), GOOGLE],
  [
    'AI SDK, Bedrock',
    BEDROCK,
    (baseURL) => aiSdk(createAmazonBedrock({ apiKey, region: 'us-east-1', baseURL })('model-1')),
    BEDROCK_WORDS,
  ],
])('%s', async (_vendor, wire, provider, message) => {
  const server = await startWireServer(wire);
  try {
    server.answer({ fault: { kind: 'status', status: 400, message } });
    expect((await failureOf(provider(server.baseUrl))).facts).toMatchObject({
      type: 'model.too_large',
      retryable: false,
      status: 400,
    });
  } finally {
    await server.close();
  }
});

test('an error part in a stream of the AI SDK counts, too; any other is a broken connection', async () => {
  const types = [OPENAI_NEW, 'The server had an error.'].map(async (message) => {
    const model: AiSdkLanguageModel = {
      specificationVersion: 'v3',
      provider: 'openai.responses',
      modelId: 'model-1',
      doStream: async () => ({ stream: new ReadableStream({ start: (stream) => { stream.enqueue({ type: 'error', error: { message } }); stream.close(); } }) }), // oxfmt-ignore
    };
    return (await failureOf(aiSdk(model))).facts.type;
  });
  expect(await Promise.all(types)).toEqual(['model.too_large', 'model.network']);
});

test('other words under the same status are no overflow', () => {
  for (const message of ['max_tokens is too large', 'Unsupported parameter: context', 'Invalid schema for function'])
    expect(exactStatus(400, message)).toBe(400);
  expect(exactStatus(429, OPENAI)).toBe(429);
});

test.each([
  ['prompt is too long: 210000 tokens > 200000 maximum', 210_000, 200_000],
  [OPENAI, 130_000, 128_000],
  [GOOGLE, 1_200_000, 1_048_576],
  [XAI, 537_812, 131_072],
])('the figures of a refusal are read: %s', (message, sent, window) => {
  const failure = ApplicationFailure.create({ message, type: 'model.too_large' });
  expect(asTooLong(failure)).toEqual({ sent, window });
});

test('a refusal without figures is one all the same', () => {
  expect(asTooLong(ApplicationFailure.create({ message: BEDROCK_WORDS, type: 'model.too_large' }))).toEqual({});
});

function compatible(baseURL: string) {
  return createOpenAICompatible({ name: 'local', apiKey, baseURL, includeUsage: true }).chatModel('model-1');
}

async function failureOf(provider: ModelProvider): Promise<ModelFailure> {
  const messages = [{ role: 'user' as const, content: [{ type: 'text', text: 'Hello' }] }];
  const request = { model: 'model-1', system: '', messages, tools: [], serverTools: [], maxTokens: 10, options: {} };
  return provider.request(request, { signal: new AbortController().signal }).then(
    () => Promise.reject(new Error('It should fail.')),
    (error: ModelFailure) => error,
  );
}
