import fc from 'fast-check';
import { MessageAccumulator } from '../../../src/model/anthropic/accumulate';
import { AnthropicProvider } from '../../../src/model/anthropic/provider';
import { eventsOf, frame } from '../../../src/model/rehearsal/sse';
import type { JsonObject } from '../../../src/shared/json/json';
import { request } from '../../support/model/model';

const CONTENT: JsonObject[] = [
  { type: 'thinking', thinking: 'Überlegung 🤔 mit Zeilen\nund "Zitaten"', signature: 'c2ln' },
  { type: 'text', text: 'Grüße 🙂 aus dem Strom', citations: [{ type: 'char_location', cited_text: 'ß' }] },
  { type: 'tool_use', id: 'toolu_1', name: 'pay', input: { invoice: 'INV-7 🧾', cents: 7 } },
];
const HEAD = { id: 'msg_1', model: 'm', usage: { input_tokens: 3, output_tokens: 5 } };
const ANSWER = { content: CONTENT, stopReason: 'tool_use', rawInputs: new Map<number, string>() };

/** The provider's answer to a stream that arrives in the given pieces. */
async function received(chunks: Uint8Array[]) {
  const stream = new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
  const headers = { 'content-type': 'text/event-stream', 'request-id': 'req_1' };
  const provider = new AnthropicProvider({
    apiKey: 'k',
    baseUrl: 'http://model.example',
    fetch: async () => new Response(stream, { headers }),
  });
  return provider.request(request(), { signal: new AbortController().signal });
}

test('the message does not depend on how the stream is split', async () => {
  const bytes = new TextEncoder().encode([...eventsOf(ANSWER, HEAD)].map(frame).join(''));
  const whole = await received([bytes]);
  expect(whole.content).toEqual(CONTENT);
  expect(whole.requestId).toBe('req_1');
  await fc.assert(
    fc.asyncProperty(fc.uniqueArray(fc.integer({ min: 1, max: bytes.length - 1 }), { maxLength: 60 }), async (cuts) => {
      const edges = [0, ...cuts.sort((a, b) => a - b), bytes.length];
      const chunks = edges.slice(1).map((end, index) => bytes.slice(edges[index], end));
      expect(await received(chunks)).toEqual(whole);
    }),
    { numRuns: 60 },
  );
});

test('a stream that ends anywhere before message_stop is never taken for a whole message', async () => {
  const events = [...eventsOf(ANSWER, HEAD)];
  for (let length = 0; length < events.length; length++) {
    const accumulator = new MessageAccumulator();
    events.slice(0, length).forEach((event) => accumulator.push(event));
    expect(() => accumulator.finish(null)).toThrow(/broke off/);
  }
});

const START = {
  type: 'message_start',
  message: { id: 'm', model: 'm', usage: { input_tokens: 10, cache_read_input_tokens: 4 } },
};
const END = [
  { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 9, input_tokens: null } },
  { type: 'message_stop' },
];

function accumulated(...events: JsonObject[]) {
  const accumulator = new MessageAccumulator();
  for (const event of [START, ...events, ...END]) accumulator.push(event as JsonObject);
  return accumulator.finish(null);
}

test('unknown deltas are kept as far as their shape is clear', () => {
  const block = { type: 'hologram', layers: ['a'], caption: 'x' };
  const delta = { type: 'hologram_delta', layers: ['b'], caption: 'y', depth: 2 };
  const response = accumulated(
    { type: 'content_block_start', index: 0, content_block: block },
    { type: 'content_block_delta', index: 0, delta },
  );
  expect(response.content).toEqual([{ type: 'hologram', layers: ['a', 'b'], caption: 'xy', depth: 2 }]);
});

test('later usage figures replace earlier ones; null means that a figure is not repeated', () => {
  expect(accumulated().usage).toEqual({ input_tokens: 10, output_tokens: 9, cache_read_tokens: 4, cache_creation_tokens: 0 });
});

test('unknown events are skipped', () => {
  expect(accumulated({ type: 'weather_report' }, { type: 'ping' }).stopReason).toBe('end_turn');
});

test('a delta for a block that never began is a broken stream', () => {
  expect(() => accumulated({ type: 'content_block_delta', index: 5, delta: { type: 'text_delta', text: 'x' } })).toThrow(
    /never began/,
  );
});

test('an input that came whole with its block is taken as it is', () => {
  const block = { type: 'tool_use', id: 't', name: 'n', input: { a: 1 } };
  const response = accumulated({ type: 'content_block_start', index: 0, content_block: block });
  expect(response.content).toEqual([block]);
  expect(response.rawToolInputs).toEqual([{ block: 0, json: '{"a":1}' }]);
});
