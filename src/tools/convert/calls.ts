/** Converts tool calls of a model to and from each vendor's format. The vendor's ids are passed on, but never used as keys. */
import { isJsonObject, type Json, type JsonObject } from '../../shared/json/json';
import { JsonSyntaxError, parseJson } from '../../shared/json/parse-json';
import { ConversionError, formatValue } from './conversion';
import { objectOf } from './imported-tools';
import { inputFromStrict } from './openai-strict';
import { plainJson, RESULT_BOUNDS } from './plain-json';

export interface ToolCall {
  /** The vendor's id of the call; empty where there is none (MCP). */
  id: string;
  name: string;
  input: Json;
}

export interface AnthropicToolUse {
  type: 'tool_use';
  id: string;
  name: string;
  input: Json;
}

export interface OpenAiToolCall {
  id: string;
  type: 'function';
  /** `arguments`: JSON text. */
  function: { name: string; arguments: string };
}

export interface OpenAiFunctionCall {
  type: 'function_call';
  call_id: string;
  name: string;
  arguments: string;
}

/** The params of `tools/call`. */
export interface McpCall {
  name: string;
  arguments: JsonObject;
}

export function callToAnthropic({ id, name, input }: ToolCall): AnthropicToolUse {
  return { type: 'tool_use', id, name, input };
}

/** @throws ConversionError unless it is a tool_use block of a client tool */
export function callFromAnthropic(block: unknown): ToolCall {
  const json = jsonOf(block);
  if (json.type !== 'tool_use') throw new ConversionError(`The block's type is ${formatValue(json.type)}; it must be tool_use`);
  return { id: textOf(json, 'id'), name: textOf(json, 'name'), input: json.input ?? {} };
}

export function callToOpenAiChat({ id, name, input }: ToolCall): OpenAiToolCall {
  return { id, type: 'function', function: { name, arguments: JSON.stringify(input) } };
}

export function callToOpenAiResponses({ id, name, input }: ToolCall): OpenAiFunctionCall {
  return { type: 'function_call', call_id: id, name, arguments: JSON.stringify(input) };
}

/**
 * Converts a call of either OpenAI API. Its arguments are text that a model wrote, and are parsed strictly.
 * @param parameters the tool's own schema: where given, nulls that strict mode uses for absent fields are removed
 * @throws ConversionError for arguments that are not strict JSON, and for items of another type
 */
export function callFromOpenAi(item: unknown, parameters?: JsonObject): ToolCall {
  const json = jsonOf(item);
  if (json.type !== 'function' && json.type !== 'function_call') {
    throw new ConversionError(`The call's type is ${formatValue(json.type)}; it must be function or function_call`);
  }
  const fields = json.type === 'function' ? objectOf(json.function, '/function') : json;
  const input = parseArguments(textOf(fields, 'arguments'));
  return {
    id: textOf(json, json.type === 'function' ? 'id' : 'call_id'),
    name: textOf(fields, 'name'),
    input: parameters ? inputFromStrict(parameters, input) : input,
  };
}

/** @throws ConversionError when the input is not an object: MCP allows only objects */
export function callToMcp({ name, input }: ToolCall): McpCall {
  return { name, arguments: objectOf(input, `The input of ${name}`) };
}

/** @throws ConversionError unless they are params of `tools/call` */
export function callFromMcp(params: unknown): ToolCall {
  const json = jsonOf(params);
  return { id: '', name: textOf(json, 'name'), input: json.arguments ?? {} };
}

function jsonOf(value: unknown): JsonObject {
  return objectOf(plainJson(value, RESULT_BOUNDS, 'The call'), 'The call');
}

function textOf(json: JsonObject, field: string): string {
  const value = json[field];
  if (typeof value === 'string') return value;
  throw new ConversionError(`${field} is ${formatValue(value)}; it must be text`);
}

function parseArguments(text: string): Json {
  if (text.trim() === '') return {}; // what models send for tools without parameters
  try {
    const input = parseJson(text);
    if (!isJsonObject(input)) throw new ConversionError(`arguments are ${formatValue(input)}; they must be an object`);
    return input;
  } catch (error) {
    if (error instanceof JsonSyntaxError) throw new ConversionError(`arguments cannot be read: ${error.message}`);
    throw error;
  }
}
