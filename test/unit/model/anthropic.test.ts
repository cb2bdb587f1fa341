import { ModelFailure } from '../../../src/model/provider';
import type { Fault } from '../../../src/model/rehearsal';
import { closeAll, failureOf, KEY, PAY, stage } from '../../support/model/model';

afterEach(closeAll);

const content = [{ type: 'text', text: 'Hellö 🙂, wörld' }];

test.each(['end_turn', 'tool_use', 'max_tokens', 'stop_sequence', 'pause_turn', 'refusal'])(
  'stop reason %s comes through',
  async (stop_reason) => {
    const { ask } = await stage({ script: [{ content, stop_reason }] });
    expect(await ask()).toMatchObject({ stopReason: stop_reason, content, streamed: 'Hellö 🙂, wörld' });
  },
);

test('a response has the ids, the model and the token counts of the wire', async () => {
  const { ask, server } = await stage();
  const response = await ask({ tools: [PAY] });
  expect(response).toMatchObject({
    id: expect.stringMatching(/^msg_/),
    requestId: 'req_rehearsal_1',
    model: 'rehearsal-1',
    stopReason: 'tool_use',
  });
  expect(response.usage.input_tokens + response.usage.cache_creation_tokens).toBeGreaterThan(20);
  expect(response.usage.output_tokens).toBeGreaterThan(5);
  expect(JSON.stringify(server.requests[0])).toContain('"cache_control"');
});

test('the second step reads from the cache what the first one wrote', async () => {
  const { ask } = await stage({ script: [{ content }, { content }] });
  const first = await ask();
  const user = { role: 'user' as const, content: [{ type: 'text', text: 'Pay INV-7' }] };
  const second = await ask({ messages: [user, { role: 'assistant', content: first.content }, user] });
  expect(first.usage.cache_read_tokens).toBe(0);
  expect(second.usage.cache_read_tokens).toBeGreaterThan(0);
});

test('an unknown stop reason is a failure that names it and is not retried', async () => {
  const { ask } = await stage({ faults: [{ kind: 'unknown-stop' }] });
  const failure = await failureOf(ask());
  expect(failure).toBeInstanceOf(ModelFailure);
  expect(failure.message).toContain('"solar_flare"');
  expect(failure.facts).toMatchObject({ type: 'model.stop_reason', retryable: false });
});

test.each<[Fault, string, boolean, number | null]>([
  [{ kind: 400 }, 'model.bad_request', false, 400],
  [{ kind: 401 }, 'model.auth', false, 401],
  [{ kind: 403 }, 'model.permission', false, 403],
  [{ kind: 404 }, 'model.not_found', false, 404],
  [{ kind: 413 }, 'model.too_large', false, 413],
  [{ kind: 429, retryAfter: 3 }, 'model.rate_limited', true, 429],
  [{ kind: 500 }, 'model.server_error', true, 500],
  [{ kind: 503, shouldRetry: false }, 'model.server_error', false, 503],
  [{ kind: 529 }, 'model.overloaded', true, 529],
  [{ kind: 'cut' }, 'model.network', true, null],
  [{ kind: 'no-stop' }, 'model.network', true, null],
  [{ kind: 'stream-error' }, 'model.overloaded', true, 529],
  [{ kind: 'stream-error', type: 'invalid_request_error' }, 'model.bad_request', false, 400],
])('over HTTP, %j fails as %s, retryable: %s', async (fault, type, retryable, status) => {
  const { ask, server } = await stage({ faults: [fault] });
  const failure = await failureOf(ask());
  expect(failure).toBeInstanceOf(ModelFailure);
  expect(failure.facts).toMatchObject({ type, retryable, status });
  if (fault.retryAfter) expect(failure.facts.retryAfterMs).toBe(3000);
  expect(JSON.stringify([failure.message, failure.facts, failure.stack])).not.toContain(KEY);
  expect(server.requests).toHaveLength(1); // the SDK does not retry: Temporal does
  expect((await ask()).stopReason).toBe('end_turn'); // and the next request is fine
});

test('a missing server is a network failure that names the address', async () => {
  const { ask, server } = await stage();
  await server.close();
  const failure = await failureOf(ask());
  expect(failure.facts).toMatchObject({ type: 'model.network', retryable: true });
  expect(failure.message).toContain(server.baseUrl);
});

test('an abort stops at once, in the middle of the stream, and is no failure of the model', async () => {
  const { provider, server } = await stage({ faults: [{ kind: 'slow', ms: 50 }] });
  const controller = new AbortController();
  const reason = new Error('the turn was cancelled');
  const long = [{ role: 'user' as const, content: [{ type: 'text', text: 'word '.repeat(400) }] }];
  const request = { model: 'rehearsal-1', system: '', messages: long, tools: [], serverTools: [], maxTokens: 9, options: {} };
  let pieces = 0;
  const onText = () => {
    pieces += 1;
    controller.abort(reason);
  };
  expect(await failureOf(provider.request(request, { signal: controller.signal, onText }))).toBe(reason);
  expect(pieces).toBeLessThan(10); // of more than 400
  expect(server.requests).toHaveLength(1);
});

test('an abort before the answer began, and one before the request, are no failures of the model either', async () => {
  let release = () => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  const controller = new AbortController();
  const onRequest = () => {
    setImmediate(() => controller.abort()); // once it has arrived
    return held;
  };
  const { ask, server } = await stage({ onRequest });
  const asked = failureOf(ask({}, controller.signal));
  expect((await asked).name).toBe('AbortError');
  expect((await failureOf(ask({}, AbortSignal.abort()))).name).toBe('AbortError');
  expect(server.requests).toHaveLength(1);
  release();
});

test('a stream that goes on for longer than the limit is a timeout, retryable', async () => {
  const { ask } = await stage({ faults: [{ kind: 'slow', ms: 100 }] }, 150);
  const failure = await failureOf(ask());
  expect(failure.facts).toMatchObject({ type: 'model.timeout', retryable: true });
});

test('an error thrown by a listener is not taken for a failure of the model', async () => {
  const { provider } = await stage();
  const request = {
    model: 'm',
    system: '',
    messages: [{ role: 'user' as const, content }],
    tools: [],
    serverTools: [],
    maxTokens: 9,
    options: {},
  };
  const oops = new Error('oops');
  const thrown = await failureOf(
    provider.request(request, {
      signal: new AbortController().signal,
      onText: () => {
        throw oops;
      },
    }),
  );
  expect(thrown).toBe(oops);
});
