/**
 * The result of an agent where the vendor enforces a schema on the model's last answer (structured output). The record has one form
 * for all vendors, a call of the result's tool; this turns such calls into the text that they were, and their results into messages.
 */
import { isJsonObject, type JsonObject } from '../../shared/json/json';
import type { ModelMessage, ModelRequest } from '../provider';
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
