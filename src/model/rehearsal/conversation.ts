/**
 * Reads a conversation from a request's body. The players keep no state: the messages show what they have done so far, so that any
 * server, at any time, can continue any conversation.
 */
import { isJsonObject, type Json, type JsonObject } from '../../shared/json/json';
import { readResult, type ToolResult } from './tool-result';

export interface OfferedTool {
  name: string;
  description: string;
  schema: JsonObject;
}

/** A call that was made in this turn and has its result. */
export interface PastCall {
  name: string;
  input: JsonObject;
  result: ToolResult;
}

export interface Conversation {
  tools: OfferedTool[];
  /** What the user wrote in this turn: the message that began it, and messages that were added while it ran. */
  ask: string;
  /** What the user wrote in earlier turns, oldest first. */
  earlier: string[];
  /** Calls of this turn, in order. */
  calls: PastCall[];
}

/** Reads the body of a Messages request; every part may have another shape than the API's. */
export function readConversation(body: JsonObject): Conversation {
  const messages = objects(body.messages);
  const start = turnStart(messages);
  const turn = messages.slice(start);
  return {
    tools: objects(body.tools).filter(isClientTool).map(toOfferedTool),
    ask: turn.map(userText).filter(Boolean).join('\n'),
    earlier: messages.slice(0, start).map(userText).filter(Boolean),
    calls: pastCalls(turn),
  };
}

/** Text of a message's content, which may be a string or blocks. */
export function textOf(content: Json | undefined): string {
  if (typeof content === 'string') return content;
  return blocks(content)
    .map((block) => (block.type === 'text' && typeof block.text === 'string' ? block.text : ''))
    .filter(Boolean)
    .join('\n');
}

export function objects(value: Json | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

/** Content as blocks; a string is one text block. */
export function blocks(content: Json | undefined): JsonObject[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : objects(content);
}

/** A turn begins with a user's text that has no tool results and follows no other user message (that would be steering). */
function turnStart(messages: JsonObject[]): number {
  const begins = (message: JsonObject, index: number) =>
    userText(message) !== '' && !hasResults(message) && messages[index - 1]?.role !== 'user';
  return Math.max(0, messages.findLastIndex(begins));
}

function userText(message: JsonObject): string {
  return message.role === 'user' ? textOf(message.content) : '';
}

function hasResults(message: JsonObject): boolean {
  return blocks(message.content).some((block) => block.type === 'tool_result');
}

function pastCalls(messages: JsonObject[]): PastCall[] {
  const all = messages.flatMap((message) => blocks(message.content));
  const results = new Map(all.filter((block) => block.type === 'tool_result').map((block) => [String(block.tool_use_id), block]));
  return all.flatMap((block): PastCall[] => {
    const result = block.type === 'tool_use' ? results.get(String(block.id)) : undefined;
    if (result === undefined) return [];
    const input = isJsonObject(block.input) ? block.input : {};
    return [{ name: String(block.name), input, result: readResult(textOf(result.content), result.is_error === true) }];
  });
}

/** Server tools have a dated `type`, and run elsewhere. */
function isClientTool(tool: JsonObject): boolean {
  return isJsonObject(tool.input_schema);
}

function toOfferedTool(tool: JsonObject): OfferedTool {
  return { name: String(tool.name), description: String(tool.description ?? ''), schema: tool.input_schema as JsonObject };
}
