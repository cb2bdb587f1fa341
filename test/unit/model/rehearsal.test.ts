import { createModel } from '../../../src/model';
import { parseFaults } from '../../../src/model/rehearsal';
import type { JsonObject } from '../../../src/shared/json/json';
import { closeAll, failureOf, PAY, request, stage } from '../../support/model/model';

afterEach(closeAll);

const USER = { role: 'user', content: 'Pay INV-7' };

async function post(
  baseUrl: string,
  body: unknown,
  headers: Record<string, string> = { 'x-api-key': 'k' },
  path = '/v1/messages',
) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const response = await fetch(baseUrl + path, { method: 'POST', headers, body: text });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

test('without stream it answers with one JSON message', async () => {
  const { server } = await stage();
  const answer = await post(server.baseUrl, { model: 'rehearsal-1', max_tokens: 9, messages: [USER], tools: [PAY] });
  expect(answer.headers.get('request-id')).toBe('req_rehearsal_1');
  expect(JSON.parse(answer.text)).toMatchObject({
    type: 'message',
    role: 'assistant',
    stop_reason: 'tool_use',
    content: [{ type: 'text' }, { type: 'tool_use', name: 'pay_invoice', input: { invoice: 'INV-7', cents: 7 } }],
  });
});

test('with stream it sends the events in the order of the API', async () => {
  const { server } = await stage();
  const { text } = await post(server.baseUrl, {
    model: 'rehearsal-1',
    max_tokens: 9,
    stream: true,
    messages: [{ role: 'user', content: 'Hi' }],
  });
  const names = [...text.matchAll(/^event: (.*)$/gm)].map((match) => match[1]);
  expect([...new Set(names)]).toEqual([
    'message_start', 'ping', 'content_block_start', 'content_block_delta', 'content_block_stop', 'message_delta', 'message_stop',
  ]); // oxfmt-ignore
});

test('the same request is answered the same, by any server, at any time', async () => {
  const body = { model: 'rehearsal-1', max_tokens: 9, messages: [USER], tools: [PAY] };
  const [a, b] = [await stage(), await stage()];
  const answers = [await post(a.server.baseUrl, body), await post(a.server.baseUrl, body), await post(b.server.baseUrl, body)];
  expect(new Set(answers.map((answer) => answer.text)).size).toBe(1);
});

const USE = { role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'a', input: {} }] };
const RESULT = { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: 'x' }] };
test.each<[string, string | JsonObject, string]>([
  ['no JSON', '{', 'not a JSON object'],
  ['no model', { max_tokens: 9, messages: [USER] }, 'model'],
  ['no token limit', { model: 'm', messages: [USER] }, 'max_tokens'],
  ['no messages', { model: 'm', max_tokens: 9, messages: [] }, 'messages'],
  ['an assistant first', { model: 'm', max_tokens: 9, messages: [USE, RESULT] }, 'first message'],
  ['a call without its result', { model: 'm', max_tokens: 9, messages: [USER, USE, USER] }, 't1'],
  ['a result without its call', { model: 'm', max_tokens: 9, messages: [USER, RESULT] }, 't1'],
  ['empty text', { model: 'm', max_tokens: 9, messages: [{ role: 'user', content: [{ type: 'text', text: '' }] }] }, 'non-empty'],
  ['empty content', { model: 'm', max_tokens: 9, messages: [{ role: 'user', content: [] }] }, 'empty'],
  ['no tools, but listed', { model: 'm', max_tokens: 9, messages: [USER], tools: [] }, 'tools'],
  ['a tool named twice', { model: 'm', max_tokens: 9, messages: [USER], tools: [PAY, PAY] }, 'unique'],
  ['a bad tool name', { model: 'm', max_tokens: 9, messages: [USER], tools: [{ ...PAY, name: 'a b' }] }, 'match'],
])('a request with %s is refused as the API would', async (_, body, words) => {
  const { server } = await stage();
  const answer = await post(server.baseUrl, body);
  expect(answer.status).toBe(400);
  expect(JSON.parse(answer.text)).toMatchObject({
    type: 'error',
    error: { type: 'invalid_request_error', message: expect.stringContaining(words) },
  });
});

test('results and steering may come in two user messages, because the API takes them as one', async () => {
  const { server } = await stage();
  const messages = [USER, USE, RESULT, USER];
  expect((await post(server.baseUrl, { model: 'm', max_tokens: 9, messages })).status).toBe(200);
});

test('a request without a key is refused with 401, another address with 404', async () => {
  const { server } = await stage();
  expect((await post(server.baseUrl, {}, {})).status).toBe(401);
  expect((await post(server.baseUrl, {}, { 'x-api-key': 'k' }, '/v1/other')).status).toBe(404);
});

test('a script is played line by line and never past its end', async () => {
  const { ask } = await stage({
    script: [{ content: [{ type: 'text', text: 'one' }] }, (body) => ({ content: [{ type: 'text', text: String(body.model) }] })],
  });
  expect((await ask()).streamed).toBe('one');
  expect((await ask()).streamed).toBe('rehearsal-1');
  const failure = await failureOf(ask());
  expect(failure.facts).toMatchObject({ status: 400, retryable: false });
  expect(failure.message).toContain('script is exhausted: this is request 3, it has 2 responses');
});

test('onRequest holds the answer back until it resolves', async () => {
  const seen: number[] = [];
  let release = () => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  const { ask } = await stage({ onRequest: (_, index) => (seen.push(index), held) });
  let answered = false;
  const asked = ask().then(() => (answered = true));
  while (seen.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  expect(answered).toBe(false);
  release();
  await asked;
  expect(seen).toEqual([0]);
});

test('the bodies of the latest requests are kept, and no more than asked', async () => {
  const { ask, server } = await stage({ keep: 2 });
  for (const model of ['a', 'b', 'c']) await ask({ model });
  expect(server.requests.map((body) => body.model)).toEqual(['b', 'c']);
});

test('setFaults replaces what was still to come; a fault lasts as often as it says', async () => {
  const { ask, server } = await stage({ faults: [{ kind: 401, times: 5 }] });
  server.setFaults([{ kind: 529, times: 2 }]);
  expect((await failureOf(ask())).facts.status).toBe(529);
  expect((await failureOf(ask())).facts.status).toBe(529);
  expect((await ask()).stopReason).toBe('end_turn');
});

test('faults are written in one line of text', () => {
  expect(
    parseFaults('429:retry-after=1, 529*3 ,cut,slow:ms=50*all,parallel:n=7,stream-error:type=api_error,503:should-retry=false'),
  ).toEqual([
    { kind: 429, retryAfter: 1 },
    { kind: 529, times: 3 },
    { kind: 'cut' },
    { kind: 'slow', ms: 50, times: Infinity },
    { kind: 'parallel', n: 7 },
    { kind: 'stream-error', type: 'api_error' },
    { kind: 503, shouldRetry: false },
  ]);
  expect(parseFaults('')).toEqual([]);
});

test.each(['flood', '418', '429:retry-after=soon', 'slow:speed=3', '__proto__'])(
  'the fault %j is refused with what is allowed',
  (text) => {
    expect(() => parseFaults(text)).toThrow(text);
  },
);

test('createModel starts a rehearsal in-process, behind the real SDK, and ends it', async () => {
  process.env.HOLDFAST_REHEARSAL_FAULTS = '529';
  const model = await createModel({ kind: 'rehearsal' });
  delete process.env.HOLDFAST_REHEARSAL_FAULTS;
  const callbacks = { signal: new AbortController().signal };
  expect((await failureOf(model.provider.request(request(), callbacks))).facts.status).toBe(529);
  expect((await model.provider.request(request(), callbacks)).content[0]!.text).toContain('rehearsal, not a model');
  expect(model.rehearsal!.baseUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  await model.close();
  expect((await failureOf(model.provider.request(request(), callbacks))).facts.type).toBe('model.network');
});
