/** Large requests are counted by their vendor before they are made. A count that fails or comes late is none, and costs nothing else. */
import fc from 'fast-check';
import { anthropic, anthropicBedrock, openai, openaiCompatible } from '../../../src/model/factories';
import { AnthropicProvider } from '../../../src/model/anthropic/provider';
import { bedrockProvider } from '../../../src/model/anthropic/platforms';
import { lengthFigures } from '../../../src/model/context/too-long';
import { countedModel, TokenCounter } from '../../../src/model/context/tokens';
import { OpenAiProvider } from '../../../src/model/openai/provider';
import { startRehearsal } from '../../../src/model/rehearsal';
import type { ModelFailure, ModelProvider, ModelRequest } from '../../../src/model/provider';
import type { JsonObject } from '../../../src/shared/json/json';

const tools = [
  { name: 'look', description: 'Looks.', input_schema: { type: 'object', properties: {}, additionalProperties: false } },
];
const { signal } = new AbortController();

describe('the route', () => {
  test.each<[string, (fetch: typeof globalThis.fetch) => ModelProvider, string, string[]]>([
    [
      'of Anthropic',
      (fetch) => new AnthropicProvider({ apiKey: 'k', baseUrl: 'http://a.test', fetch }),
      'http://a.test/v1/messages/count_tokens',
      ['thinking', 'model', 'system', 'tools', 'messages'],
    ],
    [
      'of OpenAI’s Responses',
      (fetch) => new OpenAiProvider({ apiKey: 'k', baseUrl: 'http://o.test/v1', fetch }),
      'http://o.test/v1/responses/input_tokens',
      ['tools', 'model', 'instructions', 'input'],
    ],
  ])('%s gets what the request has, and no other field', async (_vendor, providerOf, url, fields) => {
    const asked: { url: string; body: JsonObject }[] = [];
    const provider = providerOf(async (to, init) => {
      asked.push({ url: String(to), body: JSON.parse(String(init?.body)) as JsonObject });
      return Response.json({ input_tokens: 1234, object: 'response.input_tokens' });
    });
    const request = { ...requestOf('Hello'), options: { thinking: { type: 'adaptive' }, temperature: 1 } };
    expect(await provider.countTokens!(request, signal)).toBe(1234);
    expect(asked).toHaveLength(1);
    expect(asked[0]!.url).toBe(url);
    expect(Object.keys(asked[0]!.body).sort()).toEqual([...fields].sort());
  });

  test('of the rehearsal counts what its answers count', async () => {
    const rehearsal = await startRehearsal();
    try {
      const provider = new AnthropicProvider({ apiKey: 'k', baseUrl: rehearsal.baseUrl });
      const { usage } = await provider.request(requestOf('Hello'), { signal });
      const sent = usage.input_tokens + usage.cache_creation_tokens + usage.cache_read_tokens;
      expect(Math.abs((await provider.countTokens!(requestOf('Hello'), signal)) - sent)).toBeLessThanOrEqual(10);
      expect(rehearsal.requests).toHaveLength(1);
    } finally {
      await rehearsal.close();
    }
  });

  test('is there only where the vendor has one', () => {
    const model = 'm';
    expect(anthropic({ model }).countTokens).toBeInstanceOf(Function);
    expect(anthropic({ model, toolCalls: 'prompted' }).countTokens).toBeInstanceOf(Function);
    expect(openai({ model }).countTokens).toBeInstanceOf(Function);
    expect(openai({ model, api: 'chat' }).countTokens).toBeUndefined();
    expect(openaiCompatible({ model, baseUrl: 'http://127.0.0.1:9' }).countTokens).toBeUndefined();
    expect(anthropicBedrock({ model }).countTokens).toBeUndefined();
    expect(bedrockProvider({ apiKey: 'k' }).countTokens).toBeUndefined();
  });
});

describe('the counter', () => {
  test('asks once for all tries of a step', async () => {
    const model = counting(() => Promise.resolve(7));
    const [counter, request] = [new TokenCounter(), requestOf('Hello')];
    expect([await counter.count(model, request, signal), await counter.count(model, request, signal)]).toEqual([7, 7]);
    expect(model.counted).toHaveLength(1);
  });

  test.each<[string, () => Promise<number>]>([
    ['an error', () => Promise.reject(new Error('404'))],
    ['an error that is thrown at once', () => { throw new Error('no route'); }], // oxfmt-ignore
    ['no answer in time', () => new Promise(() => undefined)],
    ['no number', () => Promise.resolve(Number.NaN)],
    ['nothing that can be a count', () => Promise.resolve(-1)],
  ])('%s is no count, and the vendor is not asked for a while', async (_what, answer) => {
    let now = 0;
    const counter = new TokenCounter({ patienceMs: 20, now: () => now });
    const model = counting(answer);
    expect(await counter.count(model, requestOf('Hello'), signal)).toBeNull();
    expect(await counter.count(model, requestOf('Hello again'), signal)).toBeNull();
    expect(model.counted).toHaveLength(1);
    now = 24 * 3_600_000;
    expect(await counter.count(model, requestOf('Hello later'), signal)).toBeNull();
    expect(model.counted).toHaveLength(2);
  });

  test('a turn that is cancelled meanwhile says so, and the vendor is asked again', async () => {
    const stop = new AbortController();
    const counter = new TokenCounter();
    const answers = [new Promise<number>(() => undefined), Promise.resolve(5)];
    const model = counting(() => answers.shift()!);
    const count = counter.count(model, requestOf('Hello'), stop.signal);
    stop.abort(new Error('cancelled'));
    await expect(count).rejects.toThrow('cancelled');
    expect(await counter.count(model, requestOf('Hello'), signal)).toBe(5);
  });
});

describe('a counted model', () => {
  const long = requestOf('word '.repeat(400));

  test('a small request is not counted', async () => {
    const model = counting(() => Promise.resolve(7));
    await asked(model, requestOf('Hello'), { window: 10_000 });
    expect(model.counted).toHaveLength(0);
    expect(model.requests[0]).not.toHaveProperty('countedTokens');
  });

  test('the count goes with the request, for the limits', async () => {
    const model = counting(() => Promise.resolve(444));
    await asked(model, long, { window: 10_000, tokensPerMinute: 1000 });
    expect(model.requests[0]).toMatchObject({ countedTokens: 444 });
  });

  test('a request above the window is not made if room can be made: it counts as one that the vendor refused', async () => {
    const model = counting(() => Promise.resolve(501));
    const failure = await asked(model, long, { window: 500 }).then(() => null, (error: ModelFailure) => error); // oxfmt-ignore
    expect(failure?.facts).toEqual({ type: 'model.too_large', retryable: false, status: null });
    expect(lengthFigures(failure!.message)).toEqual({ sent: 501, window: 500 });
    expect(model.requests).toHaveLength(0);
  });

  test('it is made if no room can be made, if it fits exactly, and without a count: the vendor has the last word', () =>
    fc.assert(
      fc.asyncProperty(
        fc.oneof(fc.integer({ min: 1, max: 1000 }), fc.constant(null)),
        fc.boolean(),
        fc.integer({ min: 1, max: 600 }),
        async (count, canShorten, window) => {
          const model = counting(() => (count === null ? Promise.reject(new Error('down')) : Promise.resolve(count)));
          const isMade = count === null || count <= window || !canShorten;
          await asked(model, long, { window, canShorten: () => canShorten }).catch(() => undefined);
          expect(model.requests).toHaveLength(isMade ? 1 : 0);
        },
      ),
      { numRuns: 100 },
    ));
});

function requestOf(text: string): ModelRequest {
  const messages = [{ role: 'user' as const, content: [{ type: 'text', text }] }];
  return { model: 'm', system: 'Be short.', messages, tools, serverTools: [], maxTokens: 10, options: {} };
}

function asked(
  model: ModelProvider,
  request: ModelRequest,
  terms: { window: number; tokensPerMinute?: number; canShorten?: () => boolean },
) {
  // oxfmt-ignore
  const counted = countedModel(model, { counter: new TokenCounter(), by: model, canShorten: () => true, ...terms });
  return counted.request(request, { signal });
}

function counting(answer: () => Promise<number>) {
  const [counted, requests]: [ModelRequest[], ModelRequest[]] = [[], []];
  return {
    name: 'counting',
    counted,
    requests,
    countTokens: (request: ModelRequest) => {
      counted.push(request);
      return answer();
    },
    request: (request: ModelRequest) => {
      requests.push(request);
      const usage = { input_tokens: 1, output_tokens: 1, cache_read_tokens: 0, cache_creation_tokens: 0 };
      return Promise.resolve({ id: 'x', requestId: null, model: 'm', stopReason: 'end_turn' as const, content: [], rawToolInputs: [], usage }); // oxfmt-ignore
    },
  };
}
