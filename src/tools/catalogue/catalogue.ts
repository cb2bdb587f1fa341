/** An agent's catalogue: the tools that it adds to the agent's own, and which tools a model request shows. */
import type { ModelMessage, ModelTool } from '../../model/provider';
import { isJsonObject, type Json, type JsonObject } from '../../shared/json/json';
import type { Tool } from '../define/tool';
import { MANY_TOOLS, type CatalogueSettings, FIND_TOOLS, findTools, OPEN_GROUP, openGroup } from './find-tools';
import { bm25, entryOf } from './ranker';

export interface Catalogue {
  /** The tools that the mode adds: `find_tools` or `open_group`. */
  readonly added: readonly Tool[];
  /** The tools that the next model request shows after these messages: first a stable part, then the tools that were loaded. */
  shown(messages: readonly ModelMessage[], all: readonly ModelTool[]): ModelTool[];
}

/** @param tools the agent's own */
export function makeCatalogue(choice: CatalogueSettings, tools: readonly Tool[]): Catalogue {
  if (choice.mode === 'all') return { added: [], shown: (_messages, all) => [...all] };
  const hiddenTools = tools.filter((tool) => !tool.internalOnly && !choice.always.includes(tool.name));
  const names = new Set(hiddenTools.map((tool) => tool.name));
  const { tool, seed } =
    choice.mode === 'find' ? finding(choice, hiddenTools) : { tool: openGroup(tools, choice), seed: () => [] };
  return {
    added: [tool],
    shown(messages, all) {
      const byName = new Map(all.map((one) => [one.name, one]));
      const loadedNames = loadedTools(messages, names, choice.visible, seed);
      const stable = all.filter(({ name }) => !names.has(name));
      return [...stable, ...loadedNames.flatMap((name) => byName.get(name) ?? [])];
    },
  };
}

function finding(choice: Extract<CatalogueSettings, { mode: 'find' }>, hiddenTools: readonly Tool[]): { tool: Tool; seed: Seed } {
  const entries = hiddenTools.map(entryOf);
  const byName = new Map(entries.map((entry) => [entry.name, entry]));
  const { ranker } = choice;
  const names = ranker === null ? bm25(hiddenTools) : (query: string) => ranker(query, entries);
  const rank = (query: string) => names(query).flatMap((name) => byName.get(name) ?? []);
  return {
    tool: findTools(entries, rank, choice.visible),
    seed: (text) =>
      rank(text)
        .slice(0, choice.visible)
        .map(({ name }) => name),
  };
}

/** The warning that the worker logs at start for an agent that shows too many tools at once; null: no warning. */
export function crowdingWarning(choice: CatalogueSettings, tools: readonly Tool[]): string | null {
  const count = tools.filter((tool) => !tool.internalOnly).length;
  if (choice.mode !== 'all' || count <= (choice.visible ?? MANY_TOOLS)) return null;
  return `It shows ${count} tools in every request; beyond ${MANY_TOOLS} models choose badly, and pay for each. Set the agent's catalogue to { mode: 'find' } (${FIND_TOOLS}) or { mode: 'groups' } (${OPEN_GROUP}): docs/tools-at-scale.md.`;
}

// The shown tools are a function of the conversation alone: a retry, a fork or another worker computes the same list.
// New tools are appended and never reordered, so that the request's prefix stays the same for prompt caching. When
// there are too many, the least recently used ones are dropped.

/** Finds the tools to load for a user's message; called for each such message. */
export type Seed = (text: string) => string[];

/**
 * @param toolNames names of the tools that may be loaded; all other names in the messages are ignored
 * @returns at most `most` names, in the order in which they were loaded
 */
export function loadedTools(
  messages: readonly ModelMessage[],
  toolNames: ReadonlySet<string>,
  most: number,
  seed: Seed,
): string[] {
  const lastUse = new Map<string, number>(); // in the order of loading
  messages.forEach((message, step) => {
    const before = messages[step - 1];
    for (const name of namedBy(message, before, seed)) if (toolNames.has(name)) lastUse.set(name, step);
    for (const name of oldest(lastUse, lastUse.size - most)) lastUse.delete(name);
  });
  return [...lastUse.keys()];
}

/** The least recently used names; among names last used in one message, the ones loaded last. */
function oldest(lastUse: ReadonlyMap<string, number>, count: number): string[] {
  if (count <= 0) return [];
  const names = [...lastUse.keys()];
  const place = new Map(names.map((name, index) => [name, index]));
  return names.sort((a, b) => lastUse.get(a)! - lastUse.get(b)! || place.get(b)! - place.get(a)!).slice(0, count);
}

/** The tools that a message loads. A user message: those that fit its text. A call: its own tool. A result: the tools it found. */
function namedBy(message: ModelMessage, before: ModelMessage | undefined, seed: Seed): string[] {
  if (message.role === 'assistant') return uses(message).map((use) => String(use.name));
  const calls = before?.role === 'assistant' ? uses(before) : [];
  const results = message.content.filter((block) => block.type === 'tool_result');
  if (results.length === 0) return seed(textOf(message.content));
  // Results are matched to calls by position: ids are the model's own text, and may repeat.
  return results.flatMap((result, index) => {
    const use = calls[index];
    const mine = use !== undefined && (use.name === FIND_TOOLS || use.name === OPEN_GROUP) && sameId(use, result);
    return mine && result.is_error !== true ? foundIn(result) : [];
  });
}

function uses(message: ModelMessage): JsonObject[] {
  return message.content.filter((block) => block.type === 'tool_use');
}

/** Compares ids. In history an id is cut at 200 characters. */
function sameId(use: JsonObject, result: JsonObject): boolean {
  return String(use.id).toWellFormed().slice(0, 200) === String(result.tool_use_id);
}

function foundIn(result: JsonObject): string[] {
  const text = Array.isArray(result.content) ? textOf(result.content.filter(isJsonObject)) : '';
  const tools = dataOf(text)?.tools;
  if (!Array.isArray(tools)) return [];
  return tools.filter(isJsonObject).map((tool) => String(tool.name));
}

function dataOf(text: string): JsonObject | null {
  try {
    const parsed = JSON.parse(text) as Json;
    return isJsonObject(parsed) && isJsonObject(parsed.data ?? null) ? (parsed.data as JsonObject) : null;
  } catch {
    return null;
  }
}

function textOf(content: readonly JsonObject[]): string {
  return content
    .filter((block) => block.type === 'text')
    .map((block) => String(block.text))
    .join('\n');
}
