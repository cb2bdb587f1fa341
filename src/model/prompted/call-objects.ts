/** Reads calls that a model has written as JSON, or tried to. */
import { isJsonObject, type Json, type JsonObject } from '../../shared/json/json';
import { parseJson } from '../../shared/json/parse-json';
import type { ModelTool } from '../provider';

export interface WrittenCall {
  tool: string;
  input: JsonObject;
  /** The text that admission parses. */
  json: string;
}

/**
 * The calls in an object or a list; none in anything else.
 * @param tools if the text is no JSON, the name of one of them shows that a call was meant
 */
export function callsOf(text: string, tools: readonly ModelTool[]): WrittenCall[] {
  try {
    return callsIn(parseJson(text), text);
  } catch {
    return isMeantAsCall(text, tools) ? [unreadableCall(text)] : [];
  }
}

function isMeantAsCall(text: string, tools: readonly ModelTool[]): boolean {
  if (/^\s*\[?\s*\{\s*["'](?:tool|tool_name|arguments)["']\s*:/.test(text.slice(0, 100))) return true;
  if (/["'](?:arguments|parameters|tool_input|action_input)["']\s{0,8}:/.test(text)) return true;
  return tools.some(({ name }) => name === unreadableCall(text).tool);
}

const BESIDE = ['type', 'id', 'index'];

/** @param text as in the answer; absent: the value as JSON */
function callsIn(value: Json, text?: string): WrittenCall[] {
  if (Array.isArray(value)) return value.flatMap((one) => callsIn(one));
  if (!isJsonObject(value)) return [];
  const unreadable = () => [unreadableCall(text ?? JSON.stringify(value))];
  const inner = value.tool_calls ?? value.tool_call ?? value.function_call ?? null;
  if (typeof inner === 'object' && inner !== null) return callsIn(inner);
  if (isJsonObject(value.function ?? null)) return callsIn(value.function!);
  const name = ['tool', 'tool_name', 'name', 'function', 'action'].find((key) => value[key] !== undefined);
  const input = ['arguments', 'parameters', 'input', 'action_input', 'tool_input'].find((key) => value[key] !== undefined);
  // Many things have a name; without inputs beside it, it is no call.
  if (name !== 'tool' && input === undefined) return [];
  if (name === undefined) return input === 'arguments' ? unreadable() : [];
  if (typeof value[name] !== 'string') return name === 'tool' || input === 'arguments' ? unreadable() : [];
  // No call has other fields: admission gets them too, and refuses them as fields that no schema has.
  const others = Object.keys(value).filter((key) => key !== name && key !== input && !(name !== 'tool' && BESIDE.includes(key)));
  const args = input === undefined ? {} : value[input]!;
  const tool = value[name];
  if (typeof args === 'string') return [toWrittenCall(tool, args)];
  if (!isJsonObject(args)) return [{ tool, input: {}, json: JSON.stringify(args) }];
  return [{ tool, input: args, json: JSON.stringify(others.length === 0 ? args : value) }];
}

export function orUnreadable(calls: WrittenCall[], text: string): WrittenCall[] {
  return calls.length > 0 ? calls : [unreadableCall(text)];
}

export function toWrittenCall(tool: string, text: string): WrittenCall {
  const json = text.trim();
  try {
    const input = json === '' ? {} : parseJson(json);
    if (isJsonObject(input)) return { tool, input, json: JSON.stringify(input) };
  } catch {
    // Not JSON: admission reports where it breaks.
  }
  return { tool, input: {}, json };
}

const NAME_FIELD = /["'](?:tool|tool_name|name|function|action)["']\s{0,8}:\s{0,8}["']([^"'\\]{1,64})["']/;

/** Text that is marked as a call, and cannot be read as one. */
export function unreadableCall(text: string): WrittenCall {
  const tool = NAME_FIELD.exec(text.slice(0, 2000))?.[1] ?? '';
  return { tool, input: {}, json: text };
}

export function stripFence(text: string): string {
  const body = text.trim().replace(/^```\w{0,10}\s*/, '');
  return body.endsWith('```') ? body.slice(0, -3).trimEnd() : body;
}
