/**
 * Converts tool results to and from each vendor's format. The common form is {@link ToolResult}: the text that the model
 * reads, whether the call failed, and the data where there are some.
 */
import { isJsonObject, type Json, type JsonObject } from '../../shared/json/json';
import type { Envelope } from '../../shared/wire/errors';
import { ConversionError, formatValue, type Conversion, type Loss } from './conversion';
import { objectOf } from './imported-tools';
import { plainJson, RESULT_BOUNDS } from './plain-json';

export interface ToolResult {
  /** The vendor's id of the call; empty where there is none (MCP). */
  id: string;
  failed: boolean;
  /** The text that the model reads. */
  text: string;
  /** The same as data, where it is an object. */
  data?: JsonObject;
}

export interface AnthropicToolResult {
  type: 'tool_result';
  tool_use_id: string;
  content: string;
  is_error?: boolean;
}

export interface OpenAiToolMessage {
  role: 'tool';
  tool_call_id: string;
  content: string;
}

export interface OpenAiCallOutput {
  type: 'function_call_output';
  call_id: string;
  output: string;
}

export interface McpResult {
  content: { type: 'text'; text: string }[];
  structuredContent?: JsonObject;
  isError?: boolean;
}

/** Converts an envelope: the data as JSON text, or the whole error (kind, code, reason, message, hint …). */
export function resultOf(id: string, envelope: Envelope): ToolResult {
  const data = envelope.success ? envelope.data : ({ error: { ...envelope.error } } as JsonObject);
  return { id, failed: !envelope.success, text: JSON.stringify(data), ...(isJsonObject(data) ? { data } : {}) };
}

export function resultToAnthropic({ id, failed, text }: ToolResult): AnthropicToolResult {
  return { type: 'tool_result', tool_use_id: id, content: text, ...(failed ? { is_error: true } : {}) };
}

/** @throws ConversionError unless it is a tool_result block */
export function resultFromAnthropic(block: unknown): Conversion<ToolResult> {
  const json = jsonOf(block);
  if (json.type !== 'tool_result')
    throw new ConversionError(`The block's type is ${formatValue(json.type)}; it must be tool_result`);
  const { text, losses } = textOf(json.content ?? '', '/content');
  return { value: withData({ id: String(json.tool_use_id ?? ''), failed: json.is_error === true, text }), losses };
}

/** OpenAI has no flag for a failed call: only the text tells it, and our error text does. */
export function resultToOpenAiChat(result: ToolResult): Conversion<OpenAiToolMessage> {
  return { value: { role: 'tool', tool_call_id: result.id, content: result.text }, losses: noFlag(result) };
}

export function resultToOpenAiResponses(result: ToolResult): Conversion<OpenAiCallOutput> {
  return { value: { type: 'function_call_output', call_id: result.id, output: result.text }, losses: noFlag(result) };
}

function noFlag({ failed }: ToolResult): Loss[] {
  return failed ? [{ path: '/failed', what: 'OpenAI has no flag for a failed call: only the text says it' }] : [];
}

/** Converts a message or item of either OpenAI API. Only our own error object in the text marks a failure. */
export function resultFromOpenAi(item: unknown): Conversion<ToolResult> {
  const json = jsonOf(item);
  if (json.role !== 'tool' && json.type !== 'function_call_output') {
    throw new ConversionError(
      `${formatValue(json.role ?? json.type)} is no result; it must be role tool or type function_call_output`,
    );
  }
  const chat = json.role === 'tool';
  const { text, losses } = textOf((chat ? json.content : json.output) ?? '', chat ? '/content' : '/output');
  const result = withData({ id: String((chat ? json.tool_call_id : json.call_id) ?? ''), failed: false, text });
  return { value: { ...result, failed: isJsonObject(result.data?.error) && 'code' in result.data.error }, losses };
}

export function resultToMcp({ failed, text, data }: ToolResult): McpResult {
  return {
    content: [{ type: 'text', text }],
    ...(data && !failed ? { structuredContent: data } : {}),
    ...(failed ? { isError: true } : {}),
  };
}

/** Converts a result of `tools/call`: structured content where there is some, else its texts. @throws ConversionError */
export function resultFromMcp(result: unknown, id = ''): Conversion<ToolResult> {
  const json = jsonOf(result);
  const { text, losses } = textOf(json.content ?? [], '/content');
  const failed = json.isError === true;
  if (!isJsonObject(json.structuredContent)) return { value: withData({ id, failed, text }), losses };
  const data = json.structuredContent;
  return { value: { id, failed, text: text === '' ? JSON.stringify(data) : text, data }, losses };
}

/** Joins the text of content blocks. Images, audio and links are replaced by their type, and reported as losses. */
function textOf(content: Json, path: string): { text: string; losses: Loss[] } {
  if (typeof content === 'string') return { text: content, losses: [] };
  if (!Array.isArray(content))
    throw new ConversionError(`${path} is ${formatValue(content)}; it must be text or a list of blocks`);
  const losses: Loss[] = [];
  const texts = content.map((block, index) => {
    const { type, text } = objectOf(block, `${path}/${index}`);
    if (typeof text === 'string') return text;
    losses.push({ path: `${path}/${index}`, what: `a block of type ${formatValue(type)}, which is not text` });
    return `[${typeof type === 'string' ? type.slice(0, 40) : 'block'}]`;
  });
  return { text: texts.join('\n'), losses };
}

function withData(result: ToolResult): ToolResult {
  try {
    const data = plainJson(JSON.parse(result.text), RESULT_BOUNDS, 'The result');
    return isJsonObject(data) ? { ...result, data } : result;
  } catch {
    return result; // plain text
  }
}

function jsonOf(value: unknown): JsonObject {
  return objectOf(plainJson(value, RESULT_BOUNDS, 'The result'), 'The result');
}
