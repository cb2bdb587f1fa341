/** The official SDK against a server that sends, byte for byte, the answer of the test. */
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AnthropicProvider, type AnthropicOptions } from '../../../src/model/anthropic/provider';
import type { JsonObject } from '../../../src/shared/json/json';
import { closeAll, failureOf, request, stage } from '../../support/model/model';

const open: Server[] = [];
afterEach(async () => {
  await closeAll();
  for (const server of open.splice(0)) server.close();
});

interface Said {
  status?: number;
  type?: string;
  body: string;
}

async function says({ status = 200, type = 'text/event-stream', body }: Said, options: AnthropicOptions = { apiKey: 'k' }) {
  const seen: IncomingMessage['headers'][] = [];
  const server = createServer((incoming, response) => {
    seen.push(incoming.headers);
    response.writeHead(status, { 'content-type': type }).end(body);
  });
  open.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const provider = new AnthropicProvider({ baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, ...options });
  return { seen, ask: () => provider.request(request(), { signal: new AbortController().signal }) };
}

const event = (body: JsonObject) => `event: ${String(body.type)}\ndata: ${JSON.stringify(body)}\n\n`;

function answer(content: JsonObject[], first: JsonObject, last: JsonObject, delta: JsonObject = {}): string {
  const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'claude-opus-5', content: [], usage: first };
  return [
    { type: 'message_start', message },
    ...content.flatMap((block, index) => [
      { type: 'content_block_start', index, content_block: block },
      { type: 'content_block_stop', index },
    ]),
    { type: 'message_delta', delta: { stop_reason: 'end_turn', ...delta }, usage: last },
    { type: 'message_stop' },
  ]
    .map((one) => event(one as JsonObject))
    .join('');
}

const text: JsonObject[] = [{ type: 'text', text: 'Hi' }];
const search: JsonObject[] = [
  { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'x' } },
  { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] },
  ...text,
];

describe('the figures of an answer', () => {
  it('without tools of the vendor: the billed tokens are those in the window', async () => {
    const { ask } = await says({ body: answer(text, { input_tokens: 100, output_tokens: 1 }, { output_tokens: 20 }) });
    expect((await ask()).usage).toEqual({ input_tokens: 100, output_tokens: 20, cache_read_tokens: 0, cache_creation_tokens: 0 });
  });

  it('with iterations: the last one gives the tokens in the window, and all are billed', async () => {
    const iterations: JsonObject[] = [
      { type: 'message', input_tokens: 3000, output_tokens: 50 },
      { type: 'message', input_tokens: 500, cache_read_input_tokens: 3000, output_tokens: 70 },
    ];
    const last = { input_tokens: 3500, cache_read_input_tokens: 3000, output_tokens: 120, server_tool_use: { web_search_requests: 2 }, iterations }; // oxfmt-ignore
    const { ask } = await says({ body: answer(search, { input_tokens: 3000, output_tokens: 1 }, last) });
    expect((await ask()).usage).toEqual({
      ...{ input_tokens: 3500, output_tokens: 120, cache_read_tokens: 3000, cache_creation_tokens: 0 },
      context_tokens: 3570,
      web_searches: 2,
    });
  });

  it('without iterations: the tokens that were sent and those of the answer, never the sum over all searches', async () => {
    const last = { input_tokens: 160_000, output_tokens: 900 };
    const { ask } = await says({ body: answer(search, { input_tokens: 3000, output_tokens: 1 }, last) });
    const { usage } = await ask();
    expect(usage).toMatchObject({ input_tokens: 160_000, output_tokens: 900 });
    expect(usage.context_tokens).toBeGreaterThan(3000);
    expect(usage.context_tokens).toBeLessThan(4000);
  });

  it('of other models that took part are listed by model', async () => {
    const counts = (input_tokens: number) => ({ input_tokens, output_tokens: 10 });
    const iterations: JsonObject[] = [
      { type: 'message', model: null, ...counts(100) },
      { type: 'advisor_message', model: 'claude-fable-5-1', ...counts(700) },
      { type: 'compaction', ...counts(50) },
    ];
    const { ask } = await says({ body: answer(search, counts(100), { ...counts(100), iterations }) });
    const { usage } = await ask();
    expect(usage).toMatchObject({ input_tokens: 850, output_tokens: 30, context_tokens: 110 });
    expect(usage.billed!.map(({ model, input_tokens }) => [model, input_tokens])).toEqual([
      ['claude-opus-5', 100],
      ['claude-fable-5-1', 700],
      ['claude-opus-5', 50],
    ]);
  });
});

describe('the container of an answer', () => {
  it.each<[unknown, unknown]>([
    [
      { id: 'container_1', expires_at: '2026-11-23T10:00:00Z' },
      { id: 'container_1', expires_at: '2026-11-23T10:00:00Z' },
    ],
    [{ id: 'container_1' }, { id: 'container_1', expires_at: null }],
    [null, undefined],
    [{ id: 'two words' }, undefined],
    ['container_1', undefined],
  ])('%j is read as %j', async (container, read) => {
    const figures = { input_tokens: 1, output_tokens: 1 };
    const { ask } = await says({ body: answer(text, figures, figures, { container } as JsonObject) });
    expect((await ask()).container).toEqual(read);
  });
});

describe('a server that does not speak the Messages API', () => {
  it.each<[string, Said]>([
    ['a page', { type: 'text/html', body: '<html>Please log in</html>' }],
    ['a JSON answer', { type: 'application/json', body: '{"id":"x","choices":[]}' }],
    [
      'an event that is no JSON',
      { body: `${event({ type: 'message_start', message: {} })}event: message_delta\ndata: {oops\n\n` },
    ],
    ['an event without a type', { body: 'event: chunk\ndata: {"choices":[]}\n\n' }],
    ['the events of another API', { body: 'data: {"id":"x","choices":[{"delta":{"content":"Hi"}}]}\n\ndata: [DONE]\n\n' }],
    ['the events of a third', { body: 'event: response.created\ndata: {"type":"response.created"}\n\nevent: response.completed\ndata: {"type":"response.completed"}\n\n' }], // oxfmt-ignore
  ])('is recognized by %s, is not asked again, and its address is named', async (_, said) => {
    const { ask, seen } = await says(said);
    const failure = await failureOf(ask());
    expect(failure.facts).toMatchObject({ type: 'model.protocol', retryable: false });
    expect(failure.message).toMatch(/127\.0\.0\.1.*ANTHROPIC_BASE_URL/);
    expect(seen).toHaveLength(1);
  });

  it('is not recognized by a stream that breaks off before its first event', async () => {
    const { ask } = await says({ body: '' });
    expect((await failureOf(ask())).facts).toMatchObject({ type: 'model.network', retryable: true });
  });
});

const refused = (message: string, status = 400) => ({
  status,
  type: 'application/json',
  body: JSON.stringify({ type: 'error', error: { type: 'invalid_request_error', message } }),
});

describe('a refusal with a meaning of its own', () => {
  it.each([
    [
      'Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.',
      'model.billing',
    ],
    ['prompt is too long: 210000 tokens > 200000 maximum', 'model.too_large'],
    [
      'input length and `max_tokens` exceed context limit: 199000 + 8192 > 200000, decrease input length or `max_tokens` and try again',
      'model.too_large',
    ],
    ['messages: at least one message is required', 'model.bad_request'],
  ])('%s', async (message, type) => {
    const { ask } = await says(refused(message));
    const failure = await failureOf(ask());
    expect(failure.facts).toMatchObject({ type, retryable: false, status: 400 });
    expect(failure.message).toContain(message.slice(0, 40));
  });
});

describe('the credentials of a request', () => {
  const figures = { input_tokens: 1, output_tokens: 1 };
  const body = answer(text, figures, figures);

  it('are a key, or a bearer token', async () => {
    const keyed = await says({ body }, { apiKey: 'k' });
    await keyed.ask();
    expect(keyed.seen[0]).toMatchObject({ authorization: 'Bearer k' });
    const bearer = await says({ body }, { authToken: 't' });
    await bearer.ask();
    expect(bearer.seen[0]).toMatchObject({ authorization: 'Bearer t' });
  });

  it('may be none, for a server of the user’s own', async () => {
    const { ask, seen } = await says({ body }, {});
    expect((await ask()).content).toEqual(text);
    expect(seen[0]).toMatchObject({ authorization: 'Bearer none' });
  });
});

test('an answer that was cut off is not a failure: it is kept, with its figures', async () => {
  const { ask } = await stage({ script: [{ content: text, stop_reason: 'model_context_window_exceeded' }] });
  const response = await ask();
  expect(response).toMatchObject({ stopReason: 'model_context_window_exceeded', content: text });
  expect(response.usage.output_tokens).toBeGreaterThan(0);
});

test('a tool may be strict, and a choice of tools reaches the vendor', async () => {
  const { ask, server } = await stage({ script: [{ content: text }] });
  const tool = { name: 'look', description: 'Looks.', input_schema: { type: 'object', properties: {}, additionalProperties: false }, strict: true }; // oxfmt-ignore
  await ask({ tools: [tool], options: { tool_choice: { type: 'tool', name: 'look' } } });
  expect(server.requests[0]).toMatchObject({ tools: [{ strict: true }], tool_choice: { type: 'tool', name: 'look' } });
});
