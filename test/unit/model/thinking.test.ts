/** How much a model thinks: one setting of an agent, in each vendor's own form, or a clear error where the vendor has none. */
import { createAmazonBedrock } from '@ai-sdk/amazon-bedrock';
import { createGoogleGenerativeAI } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import fc from 'fast-check';
import { defineAgent, defineApp } from '../../../src/agents/define';
import type { AgentDefinition } from '../../../src/agents/agent';
import { toCallOptions } from '../../../src/model/ai-sdk/prompt';
import { aiSdk } from '../../../src/model/ai-sdk/provider';
import type { AiSdkLanguageModel } from '../../../src/model/ai-sdk/types';
import { AnthropicProvider } from '../../../src/model/anthropic/provider';
import { anthropic, openai, openaiCompatible } from '../../../src/model/factories';
import { Models } from '../../../src/model/models';
import { OpenAiProvider } from '../../../src/model/openai/provider';
import type { ModelProvider, ModelRequest } from '../../../src/model/provider';
import type { JsonObject } from '../../../src/shared/json/json';
import { thinkingFaults } from '../../../src/agents/models';
import type { Thinking } from '../../../src/model/thinking';
import { checkModels } from '../../../src/worker/models-at-start';

type Fetch = typeof fetch;
const apiKey = 'k';
const baseUrl = 'http://127.0.0.1:9/v1';
const budget = { budgetTokens: 2000 };

const messagesApi = (fetch: Fetch) => new AnthropicProvider({ apiKey, fetch });
const responses = (fetch: Fetch) => new OpenAiProvider({ apiKey, fetch });
const chat = (fetch: Fetch) => new OpenAiProvider({ apiKey, fetch, api: 'chat' });
const sdkOpenAi = (id: string) => (fetch: Fetch) => aiSdk(createOpenAI({ apiKey, fetch }).responses(id));
const sdkChat = (id: string) => (fetch: Fetch) => aiSdk(createOpenAI({ apiKey, fetch }).chat(id));
const google = (id: string) => (fetch: Fetch) => aiSdk(createGoogleGenerativeAI({ apiKey, fetch })(id));
const bedrock = (id: string) => (fetch: Fetch) => aiSdk(createAmazonBedrock({ apiKey, region: 'us-east-1', fetch })(id));

const adaptive = (effort: string) => ({ thinking: { type: 'adaptive' }, output_config: { effort } });
const enabled = (budget_tokens: number) => ({ thinking: { type: 'enabled', budget_tokens } });

describe('what is sent', () => {
  test.each<[string, (fetch: Fetch) => ModelProvider, string, Thinking, JsonObject]>([
    ['Messages API', messagesApi, 'claude-opus-5-5', 'high', adaptive('high')],
    ['Messages API', messagesApi, 'claude-sonnet-4-6', 'low', adaptive('low')],
    ['Messages API', messagesApi, 'claude-sonnet-4-6', budget, enabled(2000)],
    ['Messages API', messagesApi, 'claude-haiku-4-5', 'medium', enabled(4096)],
    ['Messages API', messagesApi, 'claude-sonnet-4-20250514', budget, enabled(2000)],
    ['Messages API', messagesApi, 'claude-opus-5', 'off', { thinking: { type: 'disabled' } }],
    ['Responses', responses, 'gpt-5.2', 'medium', { reasoning: { effort: 'medium' } }],
    ['Responses', responses, 'gpt-5.2', 'off', { reasoning: { effort: 'none' } }],
    ['Responses', responses, 'gpt-5-mini', 'off', { reasoning: { effort: 'minimal' } }],
    ['chat completions', chat, 'o4-mini', 'low', { reasoning_effort: 'low' }],
    ['AI SDK, OpenAI', sdkOpenAi('gpt-5.2'), '', 'high', { reasoning: { effort: 'high' } }],
    ['AI SDK, OpenAI by chat', sdkChat('gpt-5.2'), '', 'high', { reasoning_effort: 'high' }],
    [
      'AI SDK, Google',
      google('gemini-2.5-flash'),
      '',
      budget,
      { generationConfig: { thinkingConfig: { thinkingBudget: 2000 } } },
    ],
    ['AI SDK, Google', google('gemini-2.5-flash'), '', 'off', { generationConfig: { thinkingConfig: { thinkingBudget: 0 } } }],
    ['AI SDK, Google', google('gemini-3-pro'), '', 'low', { generationConfig: { thinkingConfig: { thinkingLevel: 'low' } } }],
    ['AI SDK, Bedrock', bedrock('anthropic.claude-haiku-4-5'), '', budget, { additionalModelRequestFields: enabled(2000) }],
  ])('%#: %s', async (_vendor, providerOf, model, thinking, fields) => {
    const body = await sentBy(providerOf, { ...request, model, thinking });
    expect(body).toMatchObject(fields);
  });

  test('the AI SDK’s package for Anthropic has fields of its own', () => {
    const of = (model: string, thinking: Thinking) => toCallOptions({ ...request, model, thinking }, 'anthropic.messages', 'v3').providerOptions; // oxfmt-ignore
    expect(of('claude-haiku-4-5', budget)).toEqual({ anthropic: { thinking: { type: 'enabled', budgetTokens: 2000 } } });
    expect(of('claude-opus-5', 'low')).toEqual({ anthropic: { thinking: { type: 'adaptive' }, effort: 'low' } });
    expect(of('claude-opus-5', 'off')).toEqual({ anthropic: { thinking: { type: 'disabled' } } });
  });

  test('a package of version 4 has one field for efforts', () => {
    const of = (thinking: Thinking) => toCallOptions({ ...request, thinking }, 'xai.chat', 'v4').reasoning;
    expect([of('low'), of('off')]).toEqual(['low', 'none']);
  });

  test('without the setting nothing is sent, and the vendor’s own fields in options count more', async () => {
    expect(await sentBy(messagesApi, { ...request, model: 'claude-opus-5' })).not.toHaveProperty('thinking');
    expect(await sentBy(responses, { ...request, model: 'gpt-5.2' })).not.toHaveProperty('reasoning');
    const options = { output_config: { effort: 'max' } };
    const body = await sentBy(messagesApi, { ...request, model: 'claude-opus-5', thinking: 'low', options });
    expect(body).toMatchObject(adaptive('max'));
    const summary = { reasoning: { summary: 'auto' } };
    expect(await sentBy(responses, { ...request, model: 'gpt-5.2', thinking: 'low', options: summary })).toMatchObject({
      reasoning: { effort: 'low', summary: 'auto' },
    });
  });

  test('the summary of a typed result keeps its format beside the effort', async () => {
    const resultTool = { name: 'give_result', description: 'Gives.', input_schema: { type: 'object', properties: { a: { type: 'string' } }, required: ['a'], additionalProperties: false } }; // oxfmt-ignore
    const providerOf = (fetch: Fetch) => new AnthropicProvider({ apiKey, fetch, structuredOutputs: true });
    const more = { tools: [resultTool], resultTool: 'give_result', thinking: 'high' as const, model: 'claude-opus-5' };
    expect(await sentBy(providerOf, { ...request, ...more })).toMatchObject({
      output_config: { effort: 'high', format: { type: 'json_schema' } },
    });
  });
});

describe('a worker does not start', () => {
  test.each<[string, Thinking, ModelProvider, string]>([
    ['a budget for OpenAI', budget, openai({ model: 'gpt-5.2', apiKey }), 'models of OpenAI take no budget in tokens: say "low"'],
    ['a model of OpenAI that does not reason', 'low', openai({ model: 'gpt-4.1', apiKey }), 'the model gpt-4.1 does not reason'],
    ['one that always does', 'off', openai({ model: 'o3', apiKey }), 'the model o3 always reasons'],
    ['a budget for an adaptive model', budget, anthropic({ model: 'claude-opus-5', apiKey }), 'the model claude-opus-5 takes no budget in tokens'], // oxfmt-ignore
    ['an old model', 'low', anthropic({ model: 'claude-3-haiku-20240307', apiKey }), 'the model claude-3-haiku-20240307 does not think'], // oxfmt-ignore
    ['a budget of a few tokens', { budgetTokens: 100 }, anthropic({ model: 'claude-haiku-4-5', apiKey }), 'its thoughts may take 100 tokens, and vendors take 1024 or more'], // oxfmt-ignore
    ['a budget above the answer', { budgetTokens: 9000 }, anthropic({ model: 'claude-haiku-4-5', apiKey }), "its thoughts may take 9000 tokens, which leaves none of the agent's maxTokens (8192)"], // oxfmt-ignore
    ['a server of the protocol', 'low', openaiCompatible({ model: 'qwen', baseUrl }), 'servers of this protocol have no common setting for it'], // oxfmt-ignore
    ['a package of a vendor that nobody knows', 'low', aiSdk(createOpenAICompatible({ name: 'local', baseURL: baseUrl })('m')), 'the package local.chat has no setting for it that is known'], // oxfmt-ignore
    ['a larger Gemini without thoughts', 'off', aiSdk(createGoogleGenerativeAI({ apiKey })('gemini-2.5-pro')), 'the model gemini-2.5-pro always thinks'], // oxfmt-ignore
    ['another vendor on Bedrock', 'low', aiSdk(createAmazonBedrock({ apiKey, region: 'us-east-1' })('amazon.nova-pro-v1:0')), 'no setting for it is known of the model amazon.nova-pro-v1:0'], // oxfmt-ignore
    ['a provider of one’s own', 'low', { name: 'mine', request: () => Promise.reject(new Error('asked')) }, 'its provider mine has no setting for it'], // oxfmt-ignore
  ])('with %s', (_what, thinking, provider, fault) => {
    const app = (more: object) => defineApp({ agents: [agent({ thinking, model: 'm' })], models: { m: { provider, ...more } } });
    expect(() => checkModels(app({}), new Models(null))).toThrow(`its model "m" cannot do that: ${fault}`);
    expect(() => checkModels(app({}), new Models(null))).toThrow('set `thinking` of this model in defineApp({ models })');
    expect(() => checkModels(app({ thinking: false }), new Models(null))).not.toThrow();
  });

  test('but with what each model of a chain can do, it does', () => {
    const models = {
      opus: anthropic({ model: 'claude-opus-5', apiKey }),
      haiku: { provider: anthropic({ model: 'claude-haiku-4-5', apiKey }), thinking: budget },
      gpt: openai({ model: 'gpt-5.2', apiKey }),
    };
    const app = defineApp({ agents: [agent({ thinking: 'high', model: ['opus', 'haiku', 'gpt'] })], models });
    expect(() => checkModels(app, new Models(null))).not.toThrow();
  });
});

test('a setting of another form is refused when the agent or the app is defined', () => {
  for (const thinking of ['max', 5, null, {}, { budgetTokens: 0 }, { budgetTokens: 2000.5 }, { budgetTokens: 2000, more: 1 }]) {
    expect(() => agent({ thinking: thinking as never })).toThrow('thinking is ');
    const settings = { m: { provider: openai({ model: 'gpt-5.2' }), thinking: thinking as never } };
    expect(() => defineApp({ agents: [agent({ model: 'm' })], models: settings })).toThrow('models["m"].thinking is ');
  }
});

test('for any setting and any vendor either the fields or a fault come', () =>
  fc.assert(
    fc.property(
      fc.oneof(fc.constantFrom<Thinking>('off', 'low', 'medium', 'high'), fc.integer({ min: 1024, max: 60_000 }).map((budgetTokens) => ({ budgetTokens }))), // oxfmt-ignore
      fc.constantFrom('claude-opus-5', 'claude-3-haiku', 'claude-haiku-4-5', 'gpt-4o', 'gpt-5', 'o3', 'qwen', 'gemini-3-pro'),
      fc.integer({ min: 1, max: 64_000 }),
      (thinking, model, maxTokens) => {
        expect(thinkingFaults(thinking, 'thinking')).toEqual([]);
        const providers = [anthropic({ model, apiKey }), openai({ model, apiKey }), aiSdk(named(model))];
        for (const provider of providers) {
          const fault = provider.thinkingFault!(thinking, { model, maxTokens });
          expect(fault === null || fault.length > 10).toBe(true);
        }
      },
    ),
    { numRuns: 200 },
  ));

const request: ModelRequest = {
  model: 'm',
  system: '',
  messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }],
  tools: [],
  serverTools: [],
  maxTokens: 8192,
  options: {},
};

function agent(more: Partial<AgentDefinition>) {
  return defineAgent({ name: 'payables', prompt: 'You pay invoices.', tools: [], ...more });
}

function named(modelId: string): AiSdkLanguageModel {
  return {
    specificationVersion: 'v3',
    provider: 'google.generative-ai',
    modelId,
    doStream: () => Promise.reject(new Error('asked')),
  };
}

/** The body of the one request. */
async function sentBy(providerOf: (fetch: Fetch) => ModelProvider, asked: ModelRequest): Promise<JsonObject> {
  const bodies: JsonObject[] = [];
  const provider = providerOf(async (_url, init) => {
    bodies.push(JSON.parse(String(init?.body)) as JsonObject);
    return new Response('{}', { status: 400 });
  });
  await provider.request(asked, { signal: new AbortController().signal }).catch(() => undefined);
  expect(bodies).toHaveLength(1);
  return bodies[0]!;
}
