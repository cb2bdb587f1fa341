/** What the AI SDK's own packages do unless they are told otherwise, and what a turn needs. */
import { createOpenAI } from '@ai-sdk/openai';
import { aiSdk } from '../../../src/model/ai-sdk/provider';
import type { ModelMessage, ModelRequest } from '../../../src/model/provider';
import type { JsonObject } from '../../../src/shared/json/json';
import { RESPONSES } from '../../support/model/wires/responses';
import { startWireServer } from '../../support/model/wires/server';

const USER: ModelMessage = { role: 'user', content: [{ type: 'text', text: 'Look at a.' }] };
const REQUEST: ModelRequest = {
  model: 'gpt',
  system: '',
  messages: [USER],
  tools: [{ name: 'look', description: 'Looks.', input_schema: { type: 'object', properties: {} } }],
  serverTools: [],
  maxTokens: 1000,
  options: {},
};

/** The body of the request after an answer with a thought and a call. */
async function secondRequest(options: JsonObject): Promise<JsonObject> {
  const server = await startWireServer(RESPONSES);
  try {
    const provider = aiSdk(createOpenAI({ apiKey: 'key', baseURL: server.baseUrl }).responses('gpt-5.2'));
    const ask = (messages: ModelMessage[]) =>
      provider.request({ ...REQUEST, options, messages }, { signal: new AbortController().signal });
    server.answer({ thinking: 'Look.', text: 'I look.', calls: [{ id: 'call_1', name: 'look', json: '{}' }] }, { text: 'Done.' });
    const { content, raw } = await ask([USER]);
    const result = { type: 'tool_result', tool_use_id: 'call_1', content: [{ type: 'text', text: 'seen' }] };
    await ask([
      USER,
      { role: 'assistant', content, origin: { provider: provider.name, raw: raw! } },
      { role: 'user', content: [result] },
    ]);
    return server.requests[1]!;
  } finally {
    await server.close();
  }
}

test('OpenAI keeps no answer: a turn may wait longer than its 30 days, so the answer itself goes back, its reasoning encrypted', async () => {
  const body = await secondRequest({ providerOptions: { openai: { reasoningEffort: 'low' } } });
  expect(body).toMatchObject({ store: false, include: ['reasoning.encrypted_content'], reasoning: { effort: 'low' } });
  expect(JSON.stringify(body.input)).toContain('encrypted-thought');
  expect(JSON.stringify(body.input)).toContain('I look.');
  expect(JSON.stringify(body.input)).not.toContain('item_reference');
});

test('options may let it keep them', async () => {
  const body = await secondRequest({ providerOptions: { openai: { store: true } } });
  expect(body.store).toBe(true);
  expect(JSON.stringify(body.input)).toContain('item_reference');
});
