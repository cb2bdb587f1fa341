/**
 * Converts a ModelRequest into the body of `POST /chat/completions`. Pure: the body is a function of the request, so that a retried
 * step repeats its request, and the vendor's cache of prefixes is hit.
 */
import { createHash } from 'node:crypto';
import type { Json, JsonObject } from '../../shared/json/json';
import { optional } from '../../shared/json/optional';
import { withoutForeignBlocks } from '../vendor-answers';
import type { ModelMessage, ModelRequest, ModelTool } from '../provider';
import { nativeResult } from '../prompted/native-result';
import { repairConversation } from '../repair-conversation';
import { fileParts, textOf } from './content-parts';
import { OPENAI_SUBSET } from '../schemas/subsets';
import { strictSchema } from '../schemas/strict';
import { cacheKeyOf, withThinking } from './vendor';

/** Fields that an agent's `modelOptions` cannot set: admission, budget and audit rely on them. */
const RESERVED_FIELDS: readonly string[] = ['model', 'messages', 'tools', 'functions', 'stream', 'stream_options', 'n', 'store'];

export interface ChatDialect {
  /** Name of the provider, which finds its own answers in the conversation. */
  provider: string;
  /** The field for the largest answer. OpenAI refuses the older name for its newer models; other servers know only that one. */
  maxTokensField: 'max_completion_tokens' | 'max_tokens';
  /** The server enforces a schema on the last answer (`response_format`). */
  structuredOutputs: boolean;
}

export function toChatBody(modelRequest: ModelRequest, { provider, maxTokensField, structuredOutputs }: ChatDialect): JsonObject {
  const native = structuredOutputs ? nativeResult(modelRequest, OPENAI_SUBSET) : null;
  const request = native?.request ?? modelRequest;
  const { model, system, tools, maxTokens } = request;
  const messages = repairConversation(withoutForeignBlocks(request.messages, provider), false);
  const { tool_choice, parallel_tool_calls, ...others } = allowedOptions(withThinking(request, 'chat'));
  return {
    ...cacheKeyOf(request, provider),
    ...others,
    ...(native
      ? { response_format: { type: 'json_schema', json_schema: { name: 'result', schema: native.schema, strict: true } } }
      : {}),
    ...(tools.length === 0
      ? {}
      : { ...optional({ tool_choice: choiceOf(tool_choice), parallel_tool_calls }), tools: tools.map(toChatTool) }),
    model,
    [maxTokensField]: maxTokens,
    stream: true,
    stream_options: { include_usage: true },
    messages: [...(system.trim() === '' ? [] : [{ role: 'system', content: system }]), ...messages.flatMap(toChatMessages)],
  };
}

function allowedOptions(options: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(options).filter(([key]) => key !== '__proto__' && !RESERVED_FIELDS.includes(key)));
}

/** A request for a summary forbids tools in the words of the Messages API. */
function choiceOf(choice: Json | undefined): Json | undefined {
  const type = typeof choice === 'object' && choice !== null && !Array.isArray(choice) ? choice.type : undefined;
  return type === 'none' ? 'none' : choice;
}

function toChatTool({ name, description, input_schema, strict }: ModelTool): JsonObject {
  const fitting = strict ? strictSchema(input_schema, OPENAI_SUBSET) : null;
  const parameters = fitting?.schema ?? input_schema;
  return { type: 'function', function: { name, description, parameters, ...(fitting?.schema ? { strict: true } : {}) } };
}

function toChatMessages({ role, content }: Pick<ModelMessage, 'role' | 'content'>): JsonObject[] {
  return role === 'assistant' ? [toAssistantMessage(content)] : toUserMessages(content);
}

function toAssistantMessage(content: readonly JsonObject[]): JsonObject {
  const text = content.flatMap((block) => (block.type === 'text' ? [String(block.text)] : [])).join('');
  const calls = content.flatMap((block): JsonObject[] => {
    if (block.type !== 'tool_use') return [];
    const called = { name: block.name ?? '', arguments: JSON.stringify(block.input ?? {}) };
    return [{ id: callId(block.id), type: 'function', function: called }];
  });
  return { role: 'assistant', content: text === '' ? null : text, ...(calls.length === 0 ? {} : { tool_calls: calls }) };
}

/** The results of calls are messages of their own, which hold text only: their files follow in a message of the user. */
function toUserMessages(content: readonly JsonObject[]): JsonObject[] {
  const results = content.filter(({ type }) => type === 'tool_result');
  const ofResults = results.flatMap((result) => {
    const files = fileParts(blocksIn(result.content), 'chat');
    return files.length === 0
      ? []
      : [{ type: 'text', text: `Files in the result of call ${callId(result.tool_use_id)}:` }, ...files];
  });
  const own = content.flatMap((block): JsonObject[] =>
    block.type === 'text' ? [{ type: 'text', text: block.text ?? '' }] : fileParts([block], 'chat'),
  );
  const parts = [...ofResults, ...own];
  return [
    ...results.map((result) => ({
      role: 'tool',
      tool_call_id: callId(result.tool_use_id),
      content: textOf(blocksIn(result.content)) || '(nothing)',
    })),
    ...(parts.length === 0 ? [] : [{ role: 'user', content: onlyText(parts) ?? parts }]),
  ];
}

/** Some servers take text only, as a string. */
function onlyText(parts: readonly JsonObject[]): string | null {
  return parts.every(({ type }) => type === 'text') ? parts.map(({ text }) => String(text)).join('\n\n') : null;
}

function blocksIn(content: Json | undefined): JsonObject[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return Array.isArray(content) ? (content as JsonObject[]) : [];
}

/** The API takes ids of at most 40 characters; other vendors write longer ones. */
function callId(id: Json | undefined): string {
  const text = String(id ?? '');
  return text.length <= 40 ? text : `call_${createHash('sha256').update(text).digest('hex').slice(0, 32)}`;
}
