/**
 * Checks the rules of the Messages API that a careless client breaks first. A rehearsal that did not check them would prove
 * nothing.
 */
import { isJsonObject, type Json, type JsonObject } from '../../shared/json/json';
import { contentRuleFault } from './content-rules';
import { blocks, objects } from './conversation';
import { thinkingFault } from './thinking';

const TOOL_NAME = /^[a-zA-Z0-9_-]{1,128}$/;

/** The reason for which the API would answer 400; undefined when the request is fine. */
export function requestFault(body: Json | undefined): string | undefined {
  if (!isJsonObject(body)) return 'the body is not a JSON object';
  if (typeof body.model !== 'string' || body.model === '') return 'model: a non-empty string is required';
  if (!Number.isInteger(body.max_tokens) || Number(body.max_tokens) < 1) return 'max_tokens: an integer from 1 is required';
  const messages = objects(body.messages);
  if (messages.length === 0) return 'messages: at least one message is required';
  if (messages[0]!.role !== 'user') return 'messages.0.role: the first message must be from the user';
  const whole = mergeByRole(messages);
  return (
    toolsFault(body) ??
    contentFault(messages) ??
    pairingFault(whole) ??
    contentRuleFault(body, whole) ??
    breakpointFault(body) ??
    thinkingFault(body)
  );
}

function toolsFault(body: JsonObject): string | undefined {
  if (Array.isArray(body.tools) && body.tools.length === 0) return 'tools: leave it out when there are none';
  const names = objects(body.tools).map((tool) => String(tool.name));
  const wrong = names.find((name) => !TOOL_NAME.test(name));
  if (wrong !== undefined) return `tools: name ${JSON.stringify(wrong)} must match ${TOOL_NAME.source}`;
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  return twice === undefined ? undefined : `tools: name ${JSON.stringify(twice)} is not unique`;
}

function contentFault(messages: JsonObject[]): string | undefined {
  for (const [m, message] of messages.entries()) {
    if (message.role !== 'user' && message.role !== 'assistant') return `messages.${m}.role: must be user or assistant`;
    const content = blocks(message.content);
    if (content.length === 0) return `messages.${m}: content must not be empty`;
    const empty = content.findIndex((block) => block.type === 'text' && block.text === '');
    if (empty >= 0) return `messages.${m}.content.${empty}: text content blocks must be non-empty`;
  }
  return undefined;
}

/** The API merges consecutive messages of one role. */
function mergeByRole(messages: JsonObject[]): JsonObject[] {
  const out: { role: Json; content: JsonObject[] }[] = [];
  for (const message of messages) {
    const last = out.at(-1);
    if (last !== undefined && last.role === message.role) last.content.push(...blocks(message.content));
    else out.push({ role: message.role ?? null, content: [...blocks(message.content)] });
  }
  return out;
}

/** Every tool_use has its result in the very next message, and there are no other results. */
function pairingFault(messages: JsonObject[]): string | undefined {
  const ids = (message: JsonObject | undefined, type: string, key: string) =>
    blocks(message?.content).flatMap((block) => (block.type === type ? [String(block[key])] : []));
  for (const [m, message] of messages.entries()) {
    const callIds = message.role === 'assistant' ? ids(message, 'tool_use', 'id') : [];
    const twice = callIds.find((id, index) => callIds.indexOf(id) !== index);
    if (twice !== undefined) return `messages.${m}: tool_use ids must be unique, ${twice} is not`;
    const answeredIds = new Set(ids(messages[m + 1], 'tool_result', 'tool_use_id'));
    const open = callIds.filter((id) => !answeredIds.has(id));
    if (open.length > 0) return `messages.${m}: tool_use ids without a tool_result right after: ${open.join(', ')}`;
    const knownIds = new Set(messages[m - 1]?.role === 'assistant' ? ids(messages[m - 1], 'tool_use', 'id') : []);
    const stray = ids(message, 'tool_result', 'tool_use_id').find((id) => !knownIds.has(id));
    if (stray !== undefined) return `messages.${m}: tool_result for ${stray}, which the message before did not ask for`;
  }
  return undefined;
}

function breakpointFault(body: JsonObject): string | undefined {
  const content = objects(body.messages).flatMap((message) => blocks(message.content));
  const innerBlocks = content.flatMap((block) => objects(block.content));
  const breakpoints = [...objects(body.tools), ...objects(body.system), ...content, ...innerBlocks].filter(
    (block) => 'cache_control' in block,
  );
  if (breakpoints.length > 4) return `a maximum of 4 blocks with cache_control may be given, found ${breakpoints.length}`;
  const thinking = breakpoints.find((block) => block.type === 'thinking' || block.type === 'redacted_thinking');
  return thinking === undefined ? undefined : `cache_control cannot be set for ${thinking.type} blocks`;
}
