/**
 * The Messages API's rules for the blocks of a conversation, written apart from the code that sends them
 * (../repair-conversation.ts): a test runs every kind of model output through both.
 */
import { isJsonObject, type Json, type JsonObject } from '../../shared/json/json';
import { blocks } from './conversation';

const ID = /^[a-zA-Z0-9_-]+$/;
const SERVER_ID = /^srvtoolu_[a-zA-Z0-9_]+$/;
const CALL_NAME = /^[a-zA-Z0-9_-]{1,128}$/;

/** By role and type: the fields that a block must have, and those that it may have; `any`: other fields are not checked. */
const KINDS: Readonly<Record<string, Readonly<Record<string, { must: string[]; may?: string[]; any?: true }>>>> = {
  user: {
    text: { must: ['text'], may: ['citations'] },
    image: { must: ['source'] },
    document: { must: ['source'], any: true },
    search_result: { must: ['source', 'title', 'content'], any: true },
    tool_result: { must: ['tool_use_id'], may: ['content', 'is_error'] },
    container_upload: { must: ['file_id'] },
  },
  assistant: {
    text: { must: ['text'], may: ['citations'] },
    thinking: { must: ['thinking', 'signature'] },
    redacted_thinking: { must: ['data'] },
    tool_use: { must: ['id', 'name', 'input'], may: ['caller', 'toolset_name'] },
    server_tool_use: { must: ['id', 'name', 'input'], may: ['caller'] },
    web_search_tool_result: { must: ['tool_use_id', 'content'], may: ['caller'] },
    web_fetch_tool_result: { must: ['tool_use_id', 'content'], may: ['caller'] },
    code_execution_tool_result: { must: ['tool_use_id', 'content'] },
    bash_code_execution_tool_result: { must: ['tool_use_id', 'content'] },
    text_editor_code_execution_tool_result: { must: ['tool_use_id', 'content'] },
    tool_search_tool_result: { must: ['tool_use_id', 'content'] },
    container_upload: { must: ['file_id'] },
  },
};
const RESULT_OF: Readonly<Record<string, string>> = {
  web_search: 'web_search_tool_result',
  web_fetch: 'web_fetch_tool_result',
  code_execution: 'code_execution_tool_result',
  bash_code_execution: 'bash_code_execution_tool_result',
  text_editor_code_execution: 'text_editor_code_execution_tool_result',
  tool_search_tool_regex: 'tool_search_tool_result',
  tool_search_tool_bm25: 'tool_search_tool_result',
};

/** @param messages consecutive ones of the same role merged */
export function contentRuleFault(body: JsonObject, messages: readonly JsonObject[]): string | undefined {
  for (const [m, message] of messages.entries()) {
    const content = blocks(message.content);
    for (const [b, block] of content.entries()) {
      const fault = blockFault(String(message.role), block);
      if (fault !== undefined) return `messages.${m}.content.${b}: ${fault}`;
    }
    const results = content.findLastIndex(({ type }) => type === 'tool_result');
    if (content.slice(0, results + 1).some(({ type }) => type !== 'tool_result'))
      return `messages.${m}: tool_result blocks must come before other content`;
    const last = content.at(-1);
    if (message.role === 'assistant' && (last?.type === 'thinking' || last?.type === 'redacted_thinking'))
      return `messages.${m}: The final block in an assistant message cannot be \`thinking\``;
  }
  return serverToolsFault(body, messages) ?? endFault(body, messages);
}

function blockFault(role: string, block: JsonObject): string | undefined {
  const type = String(block.type);
  const kind = Object.hasOwn(KINDS[role]!, type) ? KINDS[role]![type] : undefined;
  if (kind === undefined) return `Input tag '${type}' does not match any of the expected tags`;
  const missing = kind.must.find((field) => block[field] === undefined || block[field] === null);
  if (missing !== undefined) return `${type}.${missing}: Field required`;
  const fieldNames = ['type', 'cache_control', ...kind.must, ...(kind.may ?? [])];
  const extra = kind.any ? undefined : Object.keys(block).find((field) => !fieldNames.includes(field));
  if (extra !== undefined) return `${type}.${extra}: Extra inputs are not permitted`;
  if (type === 'text' && (typeof block.text !== 'string' || block.text.trim() === ''))
    return 'text content blocks must contain non-whitespace text';
  if (
    type === 'thinking' &&
    (typeof block.thinking !== 'string' || typeof block.signature !== 'string' || !block.signature.trim())
  )
    return 'Invalid `signature` in `thinking` block';
  if (type === 'tool_use' || type === 'server_tool_use') return useFault(type, block);
  return undefined;
}

function useFault(type: string, { id, name, input }: JsonObject): string | undefined {
  const legal = type === 'tool_use' ? ID : SERVER_ID;
  if (!legal.test(String(id))) return `${type}.id: String should match pattern '${legal.source}'`;
  if (!isJsonObject(input!)) return `${type}.input: Input should be a valid dictionary`;
  if (type === 'tool_use' ? CALL_NAME.test(String(name)) : Object.hasOwn(RESULT_OF, String(name))) return undefined;
  return `${type}.name: ${JSON.stringify(name)} is not a name that it may have`;
}

/** Each use of a server tool needs its result, in this answer or a later one, unless the API is to continue with it now. */
function serverToolsFault(body: JsonObject, messages: readonly JsonObject[]): string | undefined {
  const open = new Map<string, { m: number; use: JsonObject }>();
  const closedIds = new Set<string>();
  for (const [m, message] of messages.entries()) {
    for (const block of message.role === 'assistant' ? blocks(message.content) : []) {
      const id = String(block.type === 'server_tool_use' ? block.id : block.tool_use_id);
      if (block.type === 'server_tool_use') {
        if (open.has(id) || closedIds.has(id)) return `messages.${m}: \`tool_use\` ids must be unique, ${id} is not`;
        open.set(id, { m, use: block });
      } else if (String(block.type).endsWith('_tool_result')) {
        if (block.type !== RESULT_OF[String(open.get(id)?.use.name)])
          return `messages.${m}: unexpected \`tool_use_id\` found in \`${block.type as string}\` blocks: ${id}`;
        open.delete(id);
        closedIds.add(id);
      }
    }
  }
  const last = messages.findLastIndex(({ role }) => role === 'assistant');
  const next = messages[last + 1];
  const goesOn = next === undefined || blocks(next.content).every(({ type }) => type === 'tool_result');
  for (const [id, { m, use }] of open) {
    const name = String(use.name);
    if (m !== last || !goesOn)
      return `messages.${m}: \`${name}\` tool use with id ${id} was found without a corresponding \`${RESULT_OF[name]}\` block`;
    if (`${name} ${JSON.stringify(use.caller ?? '')}`.includes('code_execution') && !namesContainer(body.container))
      return 'container_id is required when there are pending tool uses generated by code execution with tools.';
  }
  return undefined;
}

function namesContainer(container: Json | undefined): boolean {
  return typeof container === 'string' || (isJsonObject(container ?? null) && typeof (container as JsonObject).id === 'string');
}

function endFault(body: JsonObject, messages: readonly JsonObject[]): string | undefined {
  const end = messages.at(-1);
  const text = end?.role === 'assistant' ? blocks(end.content).at(-1)?.text : undefined;
  if (typeof text === 'string' && text !== text.trimEnd()) return 'final assistant content cannot end with trailing whitespace';
  if (body.tool_choice !== undefined && !Array.isArray(body.tools))
    return 'tool_choice may only be specified while providing tools';
  const isEnabled = isJsonObject(body.thinking ?? null) && (body.thinking as JsonObject).type === 'enabled';
  const last = messages.findLast(({ role }) => role === 'assistant');
  const content = blocks(last?.content);
  const inLoop = end !== undefined && blocks(end.content).some(({ type }) => type === 'tool_result');
  const hasThinking = content[0]?.type === 'thinking' || content[0]?.type === 'redacted_thinking';
  if (isEnabled && inLoop && content.some(({ type }) => type === 'tool_use') && !hasThinking)
    return 'Expected `thinking` or `redacted_thinking`, but found `tool_use`. When `thinking` is enabled, a final `assistant` message must start with a thinking block';
  return undefined;
}
