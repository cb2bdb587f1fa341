/**
 * Reads a model's answer, which is untrusted input: the content to store, its text, its calls and server-side tools. Replaces ids of
 * calls that are illegal or repeated. Finds the vendor's container in which the next request goes on.
 */
import { ANTHROPIC_PROVIDER, isServerUse, type ModelResponse, type ModelMessage } from '../../model/provider';
import { type Json, type JsonObject, isJsonObject } from '../../shared/json/json';
import { parseJson } from '../../shared/json/parse-json';
import { toJson } from '../../tools/results/to-json';
import { blocksOf } from '../../record/read-block';
import type { PreparedAgent } from '../../tools/catalogue/registry';
import type { StoredBlock } from '../../store/core/seal';
import { VENDOR_ANSWER } from '../../record/blocks';
import type { OwnedContainer } from './ask-model';

export interface ToolUse {
  id: string;
  name: string;
  json: string;
  /** The id as the model wrote it, if it was replaced. */
  asked_id?: Json;
}

/** The client tools that the answer asks for, in order, with the input as it was written. */
export function toolUses(response: ModelResponse, askedIds: AskedIds = new Map()): ToolUse[] {
  const inputAt = rawInputReader(response);
  return response.content.flatMap((block, position) => {
    if (block.type !== 'tool_use') return [];
    const use = { id: String(block.id), name: String(block.name), json: inputAt(position) };
    const askedId = askedIds.get(position);
    return [askedId === undefined ? use : { ...use, asked_id: askedId }];
  });
}

/** The answer's content in a form that can be hashed and sent back: an input that is not strict JSON becomes `{}`. */
export function storableContent(response: ModelResponse): JsonObject[] {
  const inputAt = rawInputReader(response);
  return response.content.map((block, position) => {
    const strictBlock = block.type === 'tool_use' ? { ...block, input: strictInput(inputAt(position)) } : block;
    const storable = toJson(strictBlock);
    return storable.ok && block.type !== VENDOR_ANSWER
      ? (storable.data as JsonObject)
      : { type: 'text', text: `[a block of type ${String(block.type)} could not be kept]` };
  });
}

/** The answer in the vendor's own form, if it can be stored unchanged. Undefined: its content is all there is. */
export function storableRaw({ raw }: ModelResponse): Json | undefined {
  const storable = raw === undefined ? null : toJson(raw);
  return storable?.ok ? storable.data : undefined;
}

/** The text of a call's input, by the position of its block. */
function rawInputReader({ content, rawToolInputs }: ModelResponse): (position: number) => string {
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
  const isListed = (name: string) => serverTools.some((tool) => isNameOf(tool, name) || usedBy(tool).includes(name));
  return response.content
    .filter(isServerUse)
    .map((block) => String(block.name))
    .filter((name) => !isListed(name));
}

/** A definition of OpenAI's has a type only, which may have a version: `web_search`, `web_search_preview_2025_03_11`. */
function isNameOf({ type, name: ownName }: JsonObject, name: string): boolean {
  return ownName === undefined ? `${String(type)}_`.startsWith(`${name}_`) : ownName === name;
}

const CODE = ['code_execution', 'bash_code_execution', 'text_editor_code_execution'];

/** A tool that runs code appears under further names; versions from 2026 of search and fetch run code, too. */
function usedBy({ type }: JsonObject): string[] {
  return /^(code_execution_|web_(search|fetch)_20(2[6-9]|[3-9]\d))/.test(String(type)) ? CODE : [];
}

// The vendor's container: code that waits for results continues in it, in the same turn or a later one, while it exists.

/** The last container that an answer named; null: none, or it has expired, or the agent has no server-side tools. */
export function containerOf(blocks: readonly StoredBlock[], { agent }: PreparedAgent, now = Date.now()): OwnedContainer | null {
  if (agent.serverTools.length === 0) return null;
  const last = blocksOf('admission', blocks).findLast(({ container }) => container !== null);
  const { id = null, expires_at = null } = last?.container ?? {};
  const expires = expires_at === null ? NaN : Date.parse(expires_at);
  return id === null || expires <= now ? null : { id, provider: last?.origin?.provider ?? ANTHROPIC_PROVIDER };
}

// The model writes the ids of its calls. The API accepts a call in a later request only under a legal id that no other call of the
// conversation has. Any other id is replaced here, and the record keeps what the model wrote.

/** By the position of the block: its id as the model wrote it, if it was replaced. Null: it had none. */
export type AskedIds = ReadonlyMap<number, Json>;

/** Kinds of blocks that have an id, with its prefix. */
const PREFIXES: Readonly<Record<string, string>> = {
  tool_use: 'toolu',
  server_tool_use: 'srvtoolu',
  mcp_tool_use: 'mcptoolu',
};
const LEGAL: Readonly<Record<string, RegExp>> = {
  tool_use: /^[a-zA-Z0-9_-]{1,200}$/,
  server_tool_use: /^srvtoolu_[a-zA-Z0-9_]{1,190}$/,
  mcp_tool_use: /^mcptoolu_[a-zA-Z0-9_]{1,190}$/,
};

/** @param before the conversation so far */
export function withUniqueIds(
  response: ModelResponse,
  before: readonly ModelMessage[],
  step: number,
): { response: ModelResponse; askedIds: AskedIds } {
  const ids = new Set(before.flatMap(({ content }) => content.filter(isUse).map(({ id }) => String(id))));
  const askedIds = new Map<number, Json>();
  // Server-side tools answer in the same message: a result belongs to the first call with its id that has no result yet.
  const open = new Map<string, string[]>();
  const current = new Map<Json, string>();
  const content = response.content.map((block, position) => {
    if (!isUse(block)) return answering(block, open);
    const originalId = typeof block.id === 'string' ? block.id : null;
    const id =
      originalId !== null && LEGAL[String(block.type)]!.test(originalId) && !ids.has(originalId)
        ? originalId
        : freeId(block, step, position, ids);
    ids.add(id);
    if (id !== originalId) askedIds.set(position, originalId?.toWellFormed() ?? null);
    if (block.type !== 'tool_use') {
      open.set(String(originalId), [...(open.get(String(originalId)) ?? []), id]);
      current.set(originalId, id);
    }
    return { ...calledBy(block, current), id };
  });
  return { response: { ...response, content }, askedIds };
}

function isUse({ type }: JsonObject): boolean {
  return typeof type === 'string' && Object.hasOwn(PREFIXES, type);
}

function answering(block: JsonObject, open: ReadonlyMap<string, string[]>): JsonObject {
  const id = typeof block.tool_use_id === 'string' ? open.get(block.tool_use_id)?.shift() : undefined;
  return id === undefined ? block : { ...block, tool_use_id: id };
}

/** Replaces the id of the vendor's code that made the call by its new id. */
function calledBy(block: JsonObject, ids: ReadonlyMap<Json, string>): JsonObject {
  const { caller = null } = block;
  const id = isJsonObject(caller) ? ids.get(caller.tool_id ?? null) : undefined;
  return id === undefined ? block : { ...block, caller: { ...(caller as JsonObject), tool_id: id } };
}

function freeId({ type }: JsonObject, step: number, position: number, ids: ReadonlySet<string>): string {
  const first = `${PREFIXES[String(type)]!}_step${step}_${position + 1}`;
  for (let count = 1; ; count++) {
    const id = count === 1 ? first : `${first}_${count}`;
    if (!ids.has(id)) return id;
  }
}
