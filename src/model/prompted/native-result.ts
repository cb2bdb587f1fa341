/**
 * The result of an agent where the vendor enforces a schema on the model's last answer (structured output). The record has one form
 * for all vendors, a call of the result's tool. For a request, this turns such calls into the text that they were, and their results
 * into messages; of an answer, it makes the call.
 */
import { isJsonObject, type JsonObject } from '../../shared/json/json';
import { parseJson } from '../../shared/json/parse-json';
import { GIVE_RESULT } from '../../shared/turn/result';
import type { ModelMessage, ModelRequest, ModelResponse } from '../provider';
import { strictSchema, type SchemaSubset } from '../schemas/strict';

export interface NativeResult {
  /** The request without the tool. */
  request: ModelRequest;
  /** For the vendor, fitted to the subset that it enforces. */
  schema: JsonObject;
}

/**
 * @param subset what the vendor enforces of a schema; null: nobody knows, and the schema goes as it is
 * @returns null: the schema has no form in the subset, so that the model gives its result by a call of the tool
 */
export function nativeResult(request: ModelRequest, subset: SchemaSubset | null): NativeResult | null {
  const { resultTool, ...rest } = request;
  const tool = request.tools.find(({ name }) => name === resultTool);
  const schema = tool === undefined ? null : subsetSchema(tool.input_schema, subset);
  if (schema === null) return null;
  const tools = request.tools.filter((one) => one !== tool);
  return { request: { ...rest, tools, messages: inWords(request.messages, tool!.name) }, schema };
}

function subsetSchema(schema: JsonObject, subset: SchemaSubset | null): JsonObject | null {
  return subset === null ? schema : strictSchema(schema, subset).schema;
}

function inWords(messages: readonly ModelMessage[], tool: string): ModelMessage[] {
  const ids = new Set(messages.flatMap(({ content }) => content.filter((block) => gives(block, tool)).map(({ id }) => id)));
  if (ids.size === 0) return [...messages];
  return messages.map((message) => ({
    ...message,
    content: message.role === 'assistant' ? answerInWords(message.content, tool) : resultsInWords(message.content, ids),
  }));
}

/** An answer that was no JSON has its text beside the call. */
function answerInWords(content: readonly JsonObject[], tool: string): JsonObject[] {
  const hasText = content.some(({ type }) => type === 'text');
  return content.flatMap((block): JsonObject[] => {
    if (!gives(block, tool)) return [block];
    const isEmpty = Object.keys(isJsonObject(block.input ?? null) ? (block.input as JsonObject) : {}).length === 0;
    return isEmpty && hasText ? [] : [{ type: 'text', text: JSON.stringify(block.input ?? {}) }];
  });
}

/** The results of other calls come first, as the vendors require. */
function resultsInWords(content: readonly JsonObject[], ids: ReadonlySet<unknown>): JsonObject[] {
  const isOurs = ({ type, tool_use_id }: JsonObject) => type === 'tool_result' && ids.has(tool_use_id);
  const texts = content
    .filter(isOurs)
    .flatMap((result) => (Array.isArray(result.content) ? result.content.filter(isJsonObject) : []));
  const results = content.filter((block) => block.type === 'tool_result' && !isOurs(block));
  const others = content.filter(({ type }) => type !== 'tool_result');
  return [...results, ...texts, ...others];
}

function gives({ type, name }: JsonObject, tool: string): boolean {
  return type === 'tool_use' && name === tool;
}

// The last answer of an agent with a result is read as the call that gives it. So a result has one form, whether the vendor enforced a
// schema on the answer, or a model wrote its JSON as text although it should have made the call; and an answer in words is a result
// that does not fit, which the model is told.

/** Reasons for which an answer without calls is not the last of its turn, or is none. */
const NOT_LAST: ReadonlySet<string> = new Set(['max_tokens', 'model_context_window_exceeded', 'pause_turn', 'refusal']);
/** JSON that a model wrote as a block of code. */
const CODE_BLOCK = /^```(?:json)?\s*\n([\s\S]*)\n\s*```$/;

/** Text that is no JSON stays beside the call. The vendor's own form of the answer has no such call, and is left out. */
export function withResultCall(response: ModelResponse): ModelResponse {
  if (NOT_LAST.has(response.stopReason) || response.content.some(({ type }) => type === 'tool_use')) return response;
  const { raw: _, ...rest } = response;
  const json = textOf(response.content);
  const others = isObject(json) ? response.content.filter(({ type }) => type !== 'text') : response.content;
  const call: JsonObject = { type: 'tool_use', id: '', name: GIVE_RESULT, input: {} };
  return { ...rest, content: [...others, call], rawToolInputs: [{ block: others.length, json }] };
}

function textOf(content: readonly JsonObject[]): string {
  const text = content
    .flatMap((block) => (block.type === 'text' ? [String(block.text)] : []))
    .join('')
    .trim();
  return CODE_BLOCK.exec(text)?.[1]?.trim() ?? text;
}

function isObject(json: string): boolean {
  try {
    return isJsonObject(parseJson(json));
  } catch {
    return false;
  }
}
