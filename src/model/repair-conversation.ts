/**
 * Makes a conversation acceptable to the API. The record keeps every answer as it came; this repairs or leaves out what the API
 * would refuse, each time it is sent: otherwise one refused block would end every later turn of the session. Pure, and the same for
 * every request, so that a retried step repeats its request, and the prompt cache is hit.
 */
import { isJsonObject, type Json, type JsonObject } from '../shared/json/json';
import { isServerUse, type ModelMessage } from './provider';

export interface WireMessage extends JsonObject {
  role: ModelMessage['role'];
  content: JsonObject[];
}

/** @param container whether the request names the container in which waiting code continues */
export function repairConversation(messages: readonly ModelMessage[], container: boolean): WireMessage[] {
  const legal = messages.map(({ role, content }) => ({ role, content: content.flatMap((block) => legalBlock(role, block)) }));
  const served = withoutOpenServerTools(mergeByRole(legal), container);
  const closed = served.map(({ role, content }) => ({
    role,
    content: role === 'assistant' ? withoutFinalThinking(content) : content,
  }));
  return pairResults(mergeByRole(closed)).map(neverEmpty).map(withoutTrailingSpace);
}

const USER_TYPES: ReadonlySet<unknown> = new Set([
  'text',
  'image',
  'document',
  'search_result',
  'tool_result',
  'container_upload',
]);
/** The blocks that a model's answer may contain, by the API's reference. */
const ASSISTANT_TYPES: ReadonlySet<unknown> = new Set([
  ...['text', 'thinking', 'redacted_thinking', 'tool_use', 'server_tool_use', 'mcp_tool_use', 'mcp_tool_result'],
  ...['web_search_tool_result', 'web_fetch_tool_result', 'tool_search_tool_result', 'code_execution_tool_result'],
  ...['bash_code_execution_tool_result', 'text_editor_code_execution_tool_result', 'advisor_tool_result'],
  ...['container_upload', 'compaction'],
]);
const SERVER_TOOLS: ReadonlySet<unknown> = new Set([
  ...['web_search', 'web_fetch', 'code_execution', 'bash_code_execution', 'text_editor_code_execution'],
  ...['tool_search_tool_regex', 'tool_search_tool_bm25', 'advisor'],
]);
/** Fields of the kinds that are rebuilt here: a delta of a newer kind may have added others. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  text: ['type', 'text', 'citations', 'cache_control'],
  thinking: ['type', 'thinking', 'signature'],
  redacted_thinking: ['type', 'data'],
  tool_use: ['type', 'id', 'name', 'input', 'caller', 'toolset_name', 'cache_control'],
};
const TOOL_NAME = /^[a-zA-Z0-9_-]{1,128}$/;

function legalBlock(role: ModelMessage['role'], block: JsonObject): JsonObject[] {
  const { type } = block;
  if (!(role === 'user' ? USER_TYPES : ASSISTANT_TYPES).has(type)) return [];
  const fields = FIELDS[String(type)];
  const bare = fields ? Object.fromEntries(Object.entries(block).filter(([key]) => fields.includes(key))) : block;
  switch (type) {
    case 'text':
      return hasText(block.text) ? [withoutWrongCitations(bare)] : [];
    case 'thinking':
      return hasText(block.signature) && typeof block.thinking === 'string' ? [bare] : [];
    case 'redacted_thinking':
      return hasText(block.data) ? [bare] : [];
    case 'tool_use':
      return [{ ...bare, name: legalName(block.name), input: inputOf(block) }];
    case 'server_tool_use':
      return SERVER_TOOLS.has(block.name) ? [{ ...block, input: inputOf(block) }] : [];
    default:
      return isServerResult(block) && (block.content ?? null) === null ? [] : [block];
  }
}

function hasText(text: Json | undefined): boolean {
  return typeof text === 'string' && text.trim() !== '';
}

function inputOf({ input }: JsonObject): JsonObject {
  return isJsonObject(input ?? null) ? (input as JsonObject) : {};
}

function withoutWrongCitations(text: JsonObject): JsonObject {
  const { citations, ...rest } = text;
  return citations === undefined || citations === null || Array.isArray(citations) ? text : rest;
}

/** For a name that no tool can have. The model has already read that there is no such tool. */
function legalName(name: Json | undefined): string {
  const text = typeof name === 'string' ? name : '';
  return TOOL_NAME.test(text) ? text : text.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 64) || 'unnamed';
}

/** The API merges consecutive messages of one role (results and a message of the user, a turn that failed and the next one). */
function mergeByRole(messages: readonly WireMessage[]): WireMessage[] {
  const out: WireMessage[] = [];
  for (const { role, content } of messages) {
    const last = out.at(-1);
    if (role === 'assistant' && content.length === 0) continue;
    if (last?.role === role) last.content = [...last.content, ...content];
    else out.push({ role, content });
  }
  return out;
}

function isServerResult({ type }: JsonObject): boolean {
  return type !== 'tool_result' && typeof type === 'string' && type.endsWith('_tool_result');
}

/**
 * A use of the vendor's tools and its result belong together. A use without a result is allowed only if the vendor continues with
 * it: in the last answer, if that was paused or also waits for our results.
 */
function withoutOpenServerTools(messages: readonly WireMessage[], container: boolean): WireMessage[] {
  const blocks = messages.flatMap(({ role, content }) => (role === 'assistant' ? content : []));
  const uses = new Map<unknown, JsonObject>();
  const pairs = new Map<JsonObject, JsonObject>();
  for (const block of blocks) {
    if (isServerUse(block)) uses.set(block.id, block);
    const use = isServerResult(block) ? uses.get(block.tool_use_id) : undefined;
    if (use === undefined || pairs.has(use) || !fits(block, use)) continue;
    pairs.set(use, block).set(block, use);
  }
  const open = new Set<JsonObject>(continuableUses(messages, container).filter((block) => !pairs.has(block)));
  const openIds = new Set([...open].map(({ id }) => id));
  const isKept = (block: JsonObject) => !(isServerUse(block) || isServerResult(block)) || pairs.has(block) || open.has(block);
  // A call by waiting code that no longer waits becomes a call of the model's own.
  const asModelCall = (block: JsonObject) => {
    const { caller, ...rest } = block;
    const by = isJsonObject(caller ?? null) ? (caller as JsonObject).tool_id : undefined;
    if (block.type !== 'tool_use' || by === undefined || openIds.has(by as Json)) return block;
    const code = uses.get(by);
    return code !== undefined && pairs.has(code) ? block : rest;
  };
  return messages.map(({ role, content }) => ({
    role,
    content: role === 'user' ? content : content.filter(isKept).map(asModelCall),
  }));
}

/** A result has the name of its tool; the tools that search for tools share one name. */
function fits({ type }: JsonObject, use: JsonObject): boolean {
  if (use.type === 'mcp_tool_use') return type === 'mcp_tool_result';
  const name = String(use.name);
  return type === `${name.startsWith('tool_search_tool') ? 'tool_search' : name}_tool_result`;
}

/** The uses that the vendor may continue with. Code continues only in its container. */
function continuableUses(messages: readonly WireMessage[], container: boolean): JsonObject[] {
  const index = messages.findLastIndex(({ role }) => role === 'assistant');
  const { content } = messages[index] ?? { content: [] };
  const next = messages[index + 1];
  const waits = next === undefined || (content.some(isCall) && next.content.every(({ type }) => type === 'tool_result'));
  return waits ? content.filter((block) => isServerUse(block) && (container || !isCode(block))) : [];
}

function isCode({ name, caller }: JsonObject): boolean {
  const by = isJsonObject(caller ?? null) ? (caller as JsonObject).type : '';
  return [name, by].some((word) => String(word ?? '').includes('code_execution'));
}

/** No message may end with thinking. */
function withoutFinalThinking(content: JsonObject[]): JsonObject[] {
  const last = content.findLastIndex(({ type }) => type !== 'thinking' && type !== 'redacted_thinking');
  return content.slice(0, last + 1);
}

function isCall({ type }: JsonObject): boolean {
  return type === 'tool_use';
}

/** Each call has one result, at the beginning of the next message; a result without its call is left out. */
function pairResults(messages: readonly WireMessage[]): WireMessage[] {
  return messages.flatMap((message, index) => {
    if (message.role === 'user') {
      const before = messages[index - 1];
      return [{ ...message, content: resultsFirst(before?.content.filter(isCall) ?? [], message.content) }];
    }
    const calls = message.content.filter(isCall);
    const isLast = messages[index + 1] === undefined;
    return isLast && calls.length > 0 ? [message, { role: 'user' as const, content: resultsFirst(calls, []) }] : [message];
  });
}

function resultsFirst(calls: JsonObject[], content: JsonObject[]): JsonObject[] {
  const results = new Map(content.filter(({ type }) => type === 'tool_result').map((result) => [result.tool_use_id, result]));
  return [...calls.map(({ id }) => results.get(id) ?? noResult(id)), ...content.filter(({ type }) => type !== 'tool_result')];
}

function noResult(id: Json | undefined): JsonObject {
  const text = 'No result of this call is known: it may or may not have taken effect.';
  return { type: 'tool_result', tool_use_id: id ?? null, is_error: true, content: [{ type: 'text', text }] };
}

function neverEmpty(message: WireMessage): WireMessage {
  return message.content.length > 0 ? message : { ...message, content: [{ type: 'text', text: '(no words)' }] };
}

/** An answer that the vendor is to continue must not end in white space. */
function withoutTrailingSpace(message: WireMessage, index: number, all: WireMessage[]): WireMessage {
  const last = message.content.at(-1);
  if (message.role === 'user' || index < all.length - 1 || typeof last?.text !== 'string') return message;
  return { ...message, content: [...message.content.slice(0, -1), { ...last, text: last.text.trimEnd() }] };
}
