/** A model's answer is hostile input: what is stored of it, and what was asked for in it. */
import type { ModelResponse } from '../../model/provider';
import type { Json, JsonObject } from '../../shared/json/json';
import { parseJson } from '../../shared/json/parse-json';
import { toJson } from '../../tools/results/to-json';
import { blocksOf } from '../../record/read-block';
import type { PreparedAgent } from '../../tools/catalogue/registry';
import type { StoredBlock } from '../../store/core/seal';
import type { AskedIds } from './unique-ids';

export interface ToolUse {
  id: string;
  name: string;
  json: string;
  /** As the model wrote the id, where it could not stay (unique-ids.ts). */
  asked_id?: Json;
}

/** The client tools that the answer asks for, in order, with the input as it was written. */
export function toolUses(response: ModelResponse, askedIds: AskedIds = new Map()): ToolUse[] {
  const written = asWritten(response);
  return response.content.flatMap((block, position) => {
    if (block.type !== 'tool_use') return [];
    const use = { id: String(block.id), name: String(block.name), json: written(position) };
    const asked = askedIds.get(position);
    return [asked === undefined ? use : { ...use, asked_id: asked }];
  });
}

/** The answer's content, such that it can be hashed and sent back: an input that is no strict JSON becomes `{}`. */
export function storableContent(response: ModelResponse): JsonObject[] {
  const written = asWritten(response);
  return response.content.map((block, position) => {
    const kept = block.type === 'tool_use' ? { ...block, input: strictInput(written(position)) } : block;
    const storable = toJson(kept);
    return storable.ok
      ? (storable.data as JsonObject)
      : { type: 'text', text: `[a block of type ${String(block.type)} could not be kept]` };
  });
}

/** The text of a call's input, by the position of its block. */
function asWritten({ content, rawToolInputs }: ModelResponse): (position: number) => string {
  const raw = new Map(rawToolInputs.map(({ block, json }) => [block, json]));
  return (position) => raw.get(position) ?? JSON.stringify(content[position]?.input ?? {});
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
  const listed = new Set(serverTools.flatMap((tool) => [String(tool.name), ...usedBy(tool)]));
  return response.content
    .filter((block) => block.type === 'server_tool_use' || block.type === 'mcp_tool_use')
    .map((block) => String(block.name))
    .filter((name) => !listed.has(name));
}

const CODE = ['code_execution', 'bash_code_execution', 'text_editor_code_execution'];

/** One that runs code appears under further names; from 2026 on searches and fetches pick what they need by code. */
function usedBy({ type }: JsonObject): string[] {
  return /^(code_execution_|web_(search|fetch)_2026)/.test(String(type)) ? CODE : [];
}

// The vendor's container: code that waits for results goes on in it, in the same turn or a later one, as long as it exists.

/** The last one that an answer of the conversation named; null: none, or it has expired, or the agent has no tools of the vendor's. */
export function containerOf(blocks: readonly StoredBlock[], { agent }: PreparedAgent, now = Date.now()): string | null {
  if (agent.serverTools.length === 0) return null;
  const last = blocksOf('admission', blocks).findLast(({ container }) => container !== null)?.container;
  if (!last) return null;
  const expires = last.expires_at === null ? NaN : Date.parse(last.expires_at);
  return expires <= now ? null : last.id;
}
