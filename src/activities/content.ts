/** A model's answer is hostile input: what is stored of it, and what was asked for in it. */
import type { ModelResponse } from '../model/provider';
import type { JsonObject } from '../shared/json';
import { parseJson } from '../shared/parse-json';
import { toJson } from '../tools/to-json';

export interface ToolUse {
  id: string;
  name: string;
  json: string;
}

/** The client tools that the answer asks for, in order, with the input as it was written. */
export function toolUses(response: ModelResponse): ToolUse[] {
  const raw = new Map(response.rawToolInputs.map((input) => [input.tool_use_id, input.json]));
  return response.content
    .filter((block) => block.type === 'tool_use')
    .map((block) => ({
      id: String(block.id),
      name: String(block.name),
      json: raw.get(String(block.id)) ?? JSON.stringify(block.input ?? {}),
    }));
}

/** The answer's content, such that it can be hashed and sent back: an input that is no strict JSON becomes `{}`. */
export function storableContent(response: ModelResponse): JsonObject[] {
  const uses = new Map(toolUses(response).map((use) => [use.id, use.json]));
  return response.content.map((block) => {
    const kept = block.type === 'tool_use' ? { ...block, input: strictInput(uses.get(String(block.id)) ?? '') } : block;
    const json = toJson(kept);
    return json.ok
      ? (json.data as JsonObject)
      : { type: 'text', text: `[a block of type ${String(block.type)} could not be kept]` };
  });
}

function strictInput(json: string): JsonObject {
  try {
    const input = parseJson(json);
    return typeof input === 'object' && input !== null && !Array.isArray(input) ? input : {};
  } catch {
    return {};
  }
}

const TEXT_LIMIT = 32_000;

/** The answer's text; cut at 32,000 characters, because it travels through history. */
export function answerText(response: ModelResponse): string {
  const text = response.content
    .filter((block) => block.type === 'text')
    .map((block) => String(block.text))
    .join('\n')
    .toWellFormed();
  return text.length <= TEXT_LIMIT
    ? text
    : `${text.slice(0, TEXT_LIMIT).toWellFormed()}\n… (cut; ${text.length} characters in the transcript)`;
}

/** Vendor's server-side tools that ran although the agent does not list them. */
export function unlistedServerTools(response: ModelResponse, serverTools: JsonObject[]): string[] {
  const listed = new Set(serverTools.map((tool) => String(tool.name)));
  return response.content
    .filter((block) => block.type === 'server_tool_use' || block.type === 'mcp_tool_use')
    .map((block) => String(block.name))
    .filter((name) => !listed.has(name));
}
