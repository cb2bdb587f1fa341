/** Whether outsiders' words have been read in a conversation: tools say so of what they return, and their calls stand in it. */
import type { ModelMessage } from '../model/provider';
import type { JsonObject } from '../shared/json';
import type { PreparedAgent } from '../tools/registry';

/**
 * True once the messages hold a call to a tool with `untrustedOutput`, failed ones included: an upstream writes its
 * errors too. The vendor's server-side tools read the web. A tool that this worker does not know, and that
 * answered, may have been anything.
 */
export function hasReadUntrusted({ tools }: PreparedAgent, messages: readonly ModelMessage[]): boolean {
  const blocks = messages.flatMap(({ content }) => content);
  const answered = new Set(blocks.filter(isAnswer).map((block) => block.tool_use_id));
  return blocks.some((block) => {
    if (block.type === 'server_tool_use' || block.type === 'mcp_tool_use') return true;
    if (block.type !== 'tool_use') return false;
    const known = tools.get(String(block.name));
    return known ? known.tool.untrustedOutput === true : answered.has(block.id);
  });
}

function isAnswer(block: JsonObject): boolean {
  return block.type === 'tool_result' && block.is_error !== true;
}
