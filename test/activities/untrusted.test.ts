import { hasReadUntrusted } from '../../src/activities/untrusted';
import type { ModelMessage } from '../../src/model/provider';
import { prepared, tool } from '../tools/permission/support';

const agent = prepared({}, [tool('page', { untrustedOutput: true }), tool('look')]);
const used = (name: string, type = 'tool_use'): ModelMessage => ({
  role: 'assistant',
  content: [{ type, id: 'u1', name, input: {} }],
});
const answered = (isError: boolean): ModelMessage => ({
  role: 'user',
  content: [{ type: 'tool_result', tool_use_id: 'u1', content: [], ...(isError ? { is_error: true } : {}) }],
});

describe('a conversation has read what outsiders wrote', () => {
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
  ])('%s', (_what, messages, expected) => expect(hasReadUntrusted(agent, messages)).toBe(expected));
});
