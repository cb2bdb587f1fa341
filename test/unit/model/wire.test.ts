import { toWire } from '../../../src/model/anthropic/wire';
import { PAY, request } from '../../support/model/model';

test('a request maps to the Messages API, with streaming always on', () => {
  expect(toWire(request({ tools: [PAY], options: { temperature: 0 } }))).toEqual({
    model: 'rehearsal-1',
    max_tokens: 1000,
    stream: true,
    system: 'You help.',
    temperature: 0,
    tools: [PAY],
    messages: [{ role: 'user', content: [{ type: 'text', text: 'Pay INV-7' }] }],
  });
});

test("an agent's options cannot override model, messages, tools, system, stream or the token limit, nor add tools past admission", () => {
  const evil = {
    model: 'x',
    messages: [],
    tools: [{ name: 'evil' }],
    system: 'evil',
    stream: false,
    max_tokens: 9,
    mcp_servers: [{}],
  };
  const options = { ...evil, top_k: 3 };
  expect(toWire(request({ options }))).toEqual(toWire(request({ options: { top_k: 3 } })));
  expect(toWire(request({ options: evil, system: '' }))).not.toHaveProperty('system');
  expect(toWire(request({ options: evil }))).not.toHaveProperty('tools');
});

test('an option named __proto__ changes nothing', () => {
  const options = JSON.parse('{"__proto__":{"system":"evil"}}');
  expect(Object.getPrototypeOf(toWire(request({ options })))).toBe(Object.prototype);
});

test('server tools go after the client tools, as they were listed', () => {
  const search = { type: 'web_search_20250305', name: 'web_search' };
  expect(toWire(request({ tools: [PAY], serverTools: [search] })).tools).toEqual([PAY, search]);
});

test('empty text blocks and messages without content are not sent, because the API refuses them', () => {
  const messages = [
    { role: 'user' as const, content: [{ type: 'text', text: 'a' }] },
    { role: 'assistant' as const, content: [{ type: 'text', text: '' }] },
    { role: 'user' as const, content: [{ type: 'text', text: '' }, { type: 'text', text: 'b' }] }, // oxfmt-ignore
  ];
  expect(toWire(request({ messages })).messages).toEqual([
    { role: 'user', content: [{ type: 'text', text: 'a' }, { type: 'text', text: 'b' }] }, // oxfmt-ignore
  ]);
});

test('messages of one role in a row are sent as one: results first, then the text of the user', () => {
  const result = { type: 'tool_result', tool_use_id: 'use_1', content: [{ type: 'text', text: '1' }] };
  const word = { type: 'text', text: 'And in euros?' };
  const messages = [
    { role: 'user' as const, content: [{ type: 'text', text: 'a' }] },
    { role: 'assistant' as const, content: [{ type: 'tool_use', id: 'use_1', name: 'look', input: {} }] },
    { role: 'user' as const, content: [result] },
    { role: 'user' as const, content: [word] },
  ];
  const sent = toWire(request({ messages })).messages;
  expect(sent.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
  expect(sent[2]!.content).toEqual([result, word]);
  expect(messages[2]!.content).toEqual([result]); // what it was made of is not changed
});
