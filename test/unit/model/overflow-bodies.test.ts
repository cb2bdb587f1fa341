/** The bodies with which vendors and servers refuse a conversation that is too long, as they publish them, through the real SDKs. */
import { createAmazonBedrock } from '@ai-sdk/amazon-bedrock';
import { createGoogleGenerativeAI } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { ApplicationFailure } from '@temporalio/activity';
import { asTooLong } from '../../../src/activities/step/compaction';
import { aiSdk } from '../../../src/model/ai-sdk/provider';
import { AnthropicProvider } from '../../../src/model/anthropic/provider';
import { OpenAiProvider } from '../../../src/model/openai/provider';
import type { ModelFailure, ModelProvider } from '../../../src/model/provider';

type Fetch = typeof fetch;
const apiKey = 'k';
const baseUrl = 'http://127.0.0.1:9/v1';

const anthropic = (fetch: Fetch) => new AnthropicProvider({ apiKey, fetch });
const responses = (fetch: Fetch) => new OpenAiProvider({ apiKey, fetch });
const chat = (fetch: Fetch) => new OpenAiProvider({ baseUrl, fetch, api: 'chat' });
const google = (fetch: Fetch) => aiSdk(createGoogleGenerativeAI({ apiKey, fetch })('m'));
const bedrock = (fetch: Fetch) => aiSdk(createAmazonBedrock({ apiKey, region: 'us-east-1', fetch })('m'));
const compatible = (fetch: Fetch) => aiSdk(createOpenAICompatible({ name: 'c', baseURL: baseUrl, fetch })('m'));
const openAiOfSdk = (fetch: Fetch) => aiSdk(createOpenAI({ apiKey, fetch }).responses('m'));

interface Refusal {
  status: number;
  body: object;
  sent?: number;
  window?: number;
}

const error = (message: string, more: object = {}) => ({ error: { message, type: 'invalid_request_error', ...more } });

const CASES: [string, ((fetch: Fetch) => ModelProvider)[], Refusal][] = [
  ['Anthropic', [anthropic], { status: 400, body: { type: 'error', error: { type: 'invalid_request_error', message: 'prompt is too long: 210345 tokens > 200000 maximum' }, request_id: 'req_1' }, sent: 210_345, window: 200_000 }], // oxfmt-ignore
  ['Anthropic, with the answer', [anthropic], { status: 400, body: { type: 'error', error: { type: 'invalid_request_error', message: 'input length and `max_tokens` exceed context limit: 199000 + 8192 > 200000, decrease input length or `max_tokens` and try again' } }, sent: 199_000, window: 200_000 }], // oxfmt-ignore
  ['Anthropic, by bytes', [anthropic], { status: 413, body: { type: 'error', error: { type: 'request_too_large', message: 'Request exceeds the maximum size' } } }], // oxfmt-ignore
  ['OpenAI, responses', [responses, openAiOfSdk], { status: 400, body: error('Your input exceeds the context window of this model. Please adjust your input and try again.', { param: 'input', code: 'context_length_exceeded' }) }], // oxfmt-ignore
  ['OpenAI, chat', [chat, compatible], { status: 400, body: error("This model's maximum context length is 128000 tokens. However, your messages resulted in 130012 tokens. Please reduce the length of the messages.", { param: 'messages', code: 'context_length_exceeded' }), sent: 130_012, window: 128_000 }], // oxfmt-ignore
  ['OpenAI, more than it takes in a minute', [chat, responses], { status: 429, body: error('Request too large for gpt-5.2 in organization org-1 on tokens per min (TPM): Limit 30000, Requested 38000. The input or output tokens must be reduced in order to run successfully.', { type: 'tokens', code: 'rate_limit_exceeded' }) }], // oxfmt-ignore
  ['a code without words that are known', [chat, compatible], { status: 400, body: error('Das ist zu lang.', { code: 'context_length_exceeded' }) }], // oxfmt-ignore
  ['Google', [google], { status: 400, body: { error: { code: 400, message: 'The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).', status: 'INVALID_ARGUMENT' } }, sent: 1_196_265, window: 1_048_575 }], // oxfmt-ignore
  ['Vertex AI', [google], { status: 400, body: { error: { code: 400, message: 'Unable to submit request because the input token count is 42000 but model only supports up to 32768. Reduce the input token count and try again.', status: 'INVALID_ARGUMENT' } }, sent: 42_000, window: 32_768 }], // oxfmt-ignore
  ['Bedrock', [bedrock], { status: 400, body: { message: 'Input is too long for requested model.' } }],
  ['Bedrock, Nova', [bedrock], { status: 400, body: { message: 'Input Tokens Exceeded: Number of input tokens exceeds maximum length. Please update the input to try again.' } }], // oxfmt-ignore
  ['Mistral', [chat, compatible], { status: 400, body: { object: 'error', error: { message: 'Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length', type: 'invalid_request_error', code: '3051' } }, sent: 40_000, window: 32_768 }], // oxfmt-ignore
  ['xAI', [chat, compatible], { status: 400, body: error("This model's maximum prompt length is 131072 but the request contains 537812 tokens."), sent: 537_812, window: 131_072 }], // oxfmt-ignore
  ['Groq', [chat, compatible], { status: 400, body: error('Please reduce the length of the messages or completion.', { param: 'messages', code: 'context_length_exceeded' }) }], // oxfmt-ignore
  ['OpenRouter', [chat], { status: 400, body: { error: { code: 400, message: "This endpoint's maximum context length is 128000 tokens. However, you requested about 130000 tokens (129000 of text input, 1000 in the output)." } }, sent: 130_000, window: 128_000 }], // oxfmt-ignore
  ['vLLM', [chat], { status: 400, body: { object: 'error', message: "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens in the messages, Please reduce the length of the messages.", type: 'BadRequestError', param: null, code: 400 } }], // oxfmt-ignore
  ['llama.cpp', [chat], { status: 400, body: { error: { code: 400, message: 'request (5003 tokens) exceeds the available context size (4096 tokens), try increasing it', type: 'exceed_context_size_error', n_prompt_tokens: 5003, n_ctx: 4096 } }, sent: 5003, window: 4096 }], // oxfmt-ignore
  [
    'Ollama',
    [chat],
    { status: 400, body: error('prompt too long; exceeded max context length by 918 tokens', { type: 'api_error' }) },
  ],
  ['Ollama, from its runner', [chat], { status: 500, body: error('the input length exceeds the context length', { type: 'api_error' }) }], // oxfmt-ignore
  ['LM Studio', [chat], { status: 400, body: error('The number of tokens to keep from the initial prompt is greater than the context length (n_keep: 5453>= n_ctx: 4096). Try to load the model with a larger context length, or provide a shorter input.'), sent: 5453, window: 4096 }], // oxfmt-ignore
  ['SGLang', [chat], { status: 400, body: error("The input (9015 tokens) is longer than the model's context length (8192 tokens)."), sent: 9015, window: 8192 }], // oxfmt-ignore
  ['TGI', [chat], { status: 422, body: { error: { message: 'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000 `inputs` tokens and 100 `max_new_tokens`', type: 'validation' } } }], // oxfmt-ignore
  ['Moonshot', [chat], { status: 400, body: error('Invalid request: Your request exceeded model token limit: 262144 (requested: 270000)'), sent: 270_000, window: 262_144 }], // oxfmt-ignore
  ['Qwen', [chat], { status: 400, body: error('<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 202752]', { code: 'invalid_parameter_error' }) }], // oxfmt-ignore
  ['MiniMax', [chat], { status: 400, body: error('invalid params, context window exceeds limit (2013)', { code: '2013' }) }],
  ['GitHub', [chat], { status: 400, body: error('prompt token count of 128001 exceeds the limit of 128000', { code: 'model_max_prompt_tokens_exceeded' }), sent: 128_001, window: 128_000 }], // oxfmt-ignore
];

test.each(CASES)('%s', async (_vendor, providers, { status, body, ...figures }) => {
  for (const provider of providers) {
    const { message, facts } = await failureOf(provider(answering(status, body)));
    expect(facts).toMatchObject({ type: 'model.too_large', retryable: false, status });
    expect(asTooLong(ApplicationFailure.create({ message, type: facts.type }))).toMatchObject(figures);
  }
});

test.each<[string, string, string]>([
  [
    'a text beside its envelope',
    '{"object":"error","message":"no such adapter","type":"NotFoundError","code":404}',
    'no such adapter',
  ],
  ['a detail', '{"detail":"no such adapter"}', 'no such adapter'],
  ['details', '{"detail":[{"msg":"field required"}]}', 'field required'],
  ['no JSON', 'upstream has no such adapter', 'upstream has no such adapter'],
  ['the envelope', '{"error":{"message":"no such adapter"}}', 'no such adapter'],
  ['nothing', '', 'no body'],
  ['JSON that is no object', '"no such adapter"', 'no such adapter'],
])('a server of OpenAI’s protocol that answers with %s: its words are in the failure', async (_what, body, words) => {
  const { message, facts } = await failureOf(chat(async () => new Response(body, { status: 404 })));
  expect(facts.type).toBe('model.not_found');
  if (body !== '') expect(message).toContain(words);
});

test.each<[string, (fetch: Fetch) => ModelProvider, string]>([
  ['Anthropic', anthropic, 'event: error\ndata: {"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210345 tokens > 200000 maximum"}}\n\n'], // oxfmt-ignore
  ['OpenAI, responses', responses, 'event: error\ndata: {"type":"error","code":"context_length_exceeded","message":"Your input exceeds the context window of this model.","param":"input","sequence_number":2}\n\n'], // oxfmt-ignore
  ['OpenAI, responses that fail', responses, 'event: response.failed\ndata: {"type":"response.failed","response":{"id":"r","status":"failed","error":{"code":"context_length_exceeded","message":"Your input exceeds the context window of this model."}}}\n\n'], // oxfmt-ignore
  ['a server of chat completions', chat, 'data: {"error":{"message":"the input length exceeds the context length","type":"api_error"}}\n\n'], // oxfmt-ignore
])('%s: in the stream', async (_vendor, provider, stream) => {
  const fetch = async () => new Response(stream, { headers: { 'content-type': 'text/event-stream' } });
  expect((await failureOf(provider(fetch))).facts.type).toBe('model.too_large');
});

test.each([
  [429, 'Too many tokens, please wait before trying again.'],
  [429, 'Rate limit reached for gpt-5.2 in organization org-1 on tokens per min (TPM): Limit 30000, Used 29000, Requested 2000.'],
  [400, 'max_tokens: 100000 > 64000, which is the maximum allowed number of output tokens'],
  [500, 'Internal server error'],
])('%i %s is something else', async (status, message) => {
  expect((await failureOf(chat(answering(status, error(message))))).facts.type).not.toBe('model.too_large');
});

function answering(status: number, body: object): Fetch {
  return async () => new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json' } });
}

async function failureOf(provider: ModelProvider): Promise<ModelFailure> {
  const messages = [{ role: 'user' as const, content: [{ type: 'text', text: 'Hello' }] }];
  const request = { model: 'm', system: '', messages, tools: [], serverTools: [], maxTokens: 10, options: {} };
  return provider.request(request, { signal: new AbortController().signal }).then(
    () => Promise.reject(new Error('It should fail.')),
    (failure: ModelFailure) => failure,
  );
}
