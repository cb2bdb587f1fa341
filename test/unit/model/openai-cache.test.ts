/** OpenAI caches the beginning of a request: each step of a conversation repeats that of the step before, under one key. */
import fc from 'fast-check';
import { toChatBody } from '../../../src/model/openai/chat-request';
import { toResponsesBody } from '../../../src/model/openai/responses-request';
import type { ModelMessage, ModelRequest } from '../../../src/model/provider';
import type { JsonObject } from '../../../src/shared/json/json';

const FIRST: ModelMessage = { role: 'user', content: [{ type: 'text', text: 'Pay INV-7.' }] };
const CALL: ModelMessage = { role: 'assistant', content: [{ type: 'tool_use', id: 'use_1', name: 'look', input: { key: 'a' } }] };
const RESULT: ModelMessage = { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'use_1', content: 'a' }] };

/** An answer, and what follows it. */
const STEP = fc.record({
  text: fc.option(fc.string({ minLength: 1 }).filter((text) => text.trim() !== '')),
  calls: fc.array(fc.record({ key: fc.string() }), { maxLength: 3 }),
  said: fc.array(
    fc.constantFrom<JsonObject>(
      { type: 'text', text: 'And now?' },
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aGk=' } },
      { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'INV-7' }, title: 'invoice.txt' },
    ),
    { minLength: 1, maxLength: 2 },
  ),
  of: fc.constantFrom('openai', 'anthropic'),
});

const CHAT = { maxTokensField: 'max_tokens', structuredOutputs: false } as const;

const BODIES: [string, (request: ModelRequest, provider?: string) => JsonObject, string][] = [
  ['responses', (request, provider = 'openai') => toResponsesBody(request, provider), 'input'],
  ['chat', (request, provider = 'openai') => toChatBody(request, { provider, ...CHAT }), 'messages'],
];

describe.each(BODIES)('%s', (_api, bodyOf, field) => {
  test('the next step begins with what the step before has sent, under the same key', () => {
    const [before, after] = [bodyOf(asking(FIRST)), bodyOf(asking(FIRST, CALL, RESULT))];
    const sent = before[field] as JsonObject[];
    expect((after[field] as JsonObject[]).slice(0, sent.length)).toEqual(sent);
    expect(Object.keys(after)).toEqual(Object.keys(before));
    expect(after.tools).toEqual(before.tools);
    expect(after.prompt_cache_key).toBe(before.prompt_cache_key);
  });

  test('so does every step of any conversation, whatever was said, called and sent along', () =>
    fc.assert(
      fc.property(fc.array(STEP, { minLength: 1, maxLength: 5 }), (steps) => {
        const messages: ModelMessage[] = [FIRST];
        let before = bodyOf(asking(...messages));
        for (const [step, { text, calls, said, of }] of steps.entries()) {
          const uses = calls.map((input, index) => ({ type: 'tool_use', id: `use_${step}_${index}`, name: 'look', input }));
          const words = text ?? (uses.length === 0 ? 'Hm.' : null);
          const content = [...(words === null ? [] : [{ type: 'text', text: words }]), ...uses];
          const results = uses.map(({ id }) => ({
            type: 'tool_result',
            tool_use_id: id,
            content: [{ type: 'text', text: 'a' }],
          }));
          messages.push({ role: 'assistant', content, origin: { provider: of } });
          messages.push({ role: 'user', content: [...results, ...said] });
          const after = bodyOf(asking(...messages));
          const sent = before[field] as JsonObject[];
          expect((after[field] as JsonObject[]).slice(0, sent.length)).toEqual(sent);
          expect(after.prompt_cache_key).toBe(before.prompt_cache_key);
          before = after;
        }
      }),
      { numRuns: 200 },
    ));

  test('another conversation has another key, and the options of an agent may set it', () => {
    const other: ModelMessage = { role: 'user', content: [{ type: 'text', text: 'Pay INV-8.' }] };
    expect(bodyOf(asking(other)).prompt_cache_key).not.toBe(bodyOf(asking(FIRST)).prompt_cache_key);
    expect(bodyOf({ ...asking(FIRST), options: { prompt_cache_key: 'mine' } }).prompt_cache_key).toBe('mine');
  });

  test('another server of the protocol gets no key, and a key says nothing of the conversation', () => {
    expect(bodyOf(asking(FIRST), 'openai-compatible 127.0.0.1:11434')).not.toHaveProperty('prompt_cache_key');
    expect(bodyOf(asking(FIRST)).prompt_cache_key).toMatch(/^holdfast_[0-9a-f]{32}$/);
  });
});

function asking(...messages: ModelMessage[]): ModelRequest {
  const tools = [{ name: 'look', description: 'Looks.', input_schema: { type: 'object', properties: {} } }];
  return { model: 'm', system: 'Be short.', messages, tools, serverTools: [], maxTokens: 10, options: {} };
}
