import { hasReadUntrusted } from '../../../src/activities/admission/outside-text';
import type { ModelMessage } from '../../../src/model/provider';
import { StoreError } from '../../../src/store/store';
import { prepared, tool } from '../tools/admit/support';
import type { StoredBlock } from '../../../src/store/core/seal';

const agent = prepared({}, [tool('page', { untrustedOutput: true }), tool('look')]);
const used = (name: string, type = 'tool_use'): ModelMessage => ({
  role: 'assistant',
  content: [{ type, id: 'u1', name, input: {} }],
});
const answered = (isError: boolean): ModelMessage => ({
  role: 'user',
  content: [{ type: 'tool_result', tool_use_id: 'u1', content: [], ...(isError ? { is_error: true } : {}) }],
});

/** @param definition of the agent whose turn it was; absent: that of the present agent; null: it cannot be read */
function has(
  messages: ModelMessage[],
  definition?: object | null,
  start: object = {},
  answer: ModelMessage = { role: 'assistant', content: [] },
): Promise<boolean> {
  const block = (kind: string, bodies: unknown[]) => ({ hash: '', block: { kind }, bodies }) as unknown as StoredBlock;
  const blocks = [
    block('start', [{ ...start, definition_ref: definition === undefined ? 'now' : 'then' }]),
    ...messages.map(({ role, content }) => block('message', [{ role }, ...content])),
  ];
  const getBytes = (ref: string) =>
    definition ? Promise.resolve(Buffer.from(JSON.stringify(definition))) : Promise.reject(new StoreError('not_found', ref));
  return hasReadUntrusted({ getBytes }, { agent, definition_ref: 'now' }, blocks, answer.content);
}

describe('whether a conversation contains outsiders’ words:', () => {
  it.each<[string, ModelMessage[], boolean]>([
    ['nothing yet', [], false],
    ['a tool of our own', [used('look'), answered(false)], false],
    ['a tool that says so', [used('page'), answered(false)], true],
    ["its failure, which is an upstream's text too", [used('page'), answered(true)], true],
    ["the vendor's web search", [used('web_search', 'server_tool_use')], true],
    ["a vendor's MCP tool", [used('x', 'mcp_tool_use')], true],
    ['a tool that does not exist, and was refused', [used('nope'), answered(true)], false],
    ['a tool that this worker no longer has, and that answered', [used('gone'), answered(false)], true],
    ['a text that only speaks of it', [{ role: 'user', content: [{ type: 'text', text: 'page' }] }], false],
  ])('%s', async (_what, messages, expected) => expect(await has(messages)).toBe(expected));

  it.each([
    ["the vendor's web search", used('web_search', 'server_tool_use'), true],
    ["a vendor's MCP tool", used('x', 'mcp_tool_use'), true],
    ['a call of a tool whose result will have them', used('page'), false],
  ])('in the answer itself, %s', async (_what, answer, expected) => {
    expect(await has([], undefined, {}, answer)).toBe(expected);
  });

  it.each<[string, object | null, boolean]>([
    ['by an agent whose tool of that name said so', { tools: [{ name: 'look', untrusted_output: true }] }, true],
    ['by an agent whose tool did not', { tools: [{ name: 'look', untrusted_output: false }] }, false],
    ['by an agent whose definition is lost', null, true],
  ])('before, %s', async (_what, definition, expected) => {
    expect(await has([used('look'), answered(false)], definition)).toBe(expected);
  });

  it('from the first step on, in a turn of a trigger, and in a conversation that goes on after one', async () => {
    expect(await has([], undefined, { requester: 'trigger/github' })).toBe(true);
    expect(await has([used('look'), answered(false)], undefined, { requester: 'trigger/github' })).toBe(true);
    for (const requester of ['rita', 'schedule/morning', 'triggers', 'acme/trigger/x'])
      expect(await has([], undefined, { requester })).toBe(false);
  });

  it('before, in the turn above a sub-agent', async () => {
    expect(await has([], { tools: [] }, { parent: { untrusted: true } })).toBe(true);
    expect(await has([], { tools: [] }, { parent: { untrusted: false } })).toBe(false);
  });
});
