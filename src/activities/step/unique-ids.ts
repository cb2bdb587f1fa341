/**
 * The id of a call in an answer is the model's own word. The API takes a call back only under an id that is legal and that no
 * other call of the conversation has; an id that is not gets another one here, and the record keeps what the model wrote.
 */
import type { ModelMessage, ModelResponse } from '../../model/provider';
import { isJsonObject, type Json, type JsonObject } from '../../shared/json/json';

/** By the position of the block: its id as the model wrote it, where it has another one now. Null: it had none. */
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
  const taken = new Set(before.flatMap(({ content }) => content.filter(isUse).map(({ id }) => String(id))));
  const askedIds = new Map<number, Json>();
  // The vendor's own tools answer within the same message: a result belongs to the first of its name that has none yet.
  const open = new Map<string, string[]>();
  const current = new Map<Json, string>();
  const content = response.content.map((block, position) => {
    if (!isUse(block)) return answering(block, open);
    const asked = typeof block.id === 'string' ? block.id : null;
    const id =
      asked !== null && LEGAL[String(block.type)]!.test(asked) && !taken.has(asked)
        ? asked
        : freeId(block, step, position, taken);
    taken.add(id);
    if (id !== asked) askedIds.set(position, asked?.toWellFormed() ?? null);
    if (block.type !== 'tool_use') {
      open.set(String(asked), [...(open.get(String(asked)) ?? []), id]);
      current.set(asked, id);
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

/** Code of the vendor's that calls a tool is named by the id that it has now. */
function calledBy(block: JsonObject, ids: ReadonlyMap<Json, string>): JsonObject {
  const { caller = null } = block;
  const id = isJsonObject(caller) ? ids.get(caller.tool_id ?? null) : undefined;
  return id === undefined ? block : { ...block, caller: { ...(caller as JsonObject), tool_id: id } };
}

function freeId({ type }: JsonObject, step: number, position: number, taken: ReadonlySet<string>): string {
  const first = `${PREFIXES[String(type)]!}_step${step}_${position + 1}`;
  for (let count = 1; ; count++) {
    const id = count === 1 ? first : `${first}_${count}`;
    if (!taken.has(id)) return id;
  }
}
