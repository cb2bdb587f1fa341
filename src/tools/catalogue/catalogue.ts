/** An agent's catalogue: which tools it has besides its own, and which of them a model request shows. */
import type { ModelMessage, ModelTool } from '../../model/provider';
import { MANY_TOOLS, type Choice } from './choice';
import { bm25, entryOf } from './ranker';
import { FIND_TOOLS, findTools, OPEN_GROUP, openGroup } from './tools';
import { loadedTools, type Seed } from './visible';
import type { Tool } from '../tool';

export interface Catalogue {
  /** Tools that the choice itself adds to the agent's. */
  readonly added: readonly Tool[];
  /** What the model sees after these messages, of all that the agent has: a stable part first, then what was loaded. */
  shown(messages: readonly ModelMessage[], all: readonly ModelTool[]): ModelTool[];
}

/** @param tools the agent's own */
export function makeCatalogue(choice: Choice, tools: readonly Tool[]): Catalogue {
  if (choice.mode === 'all') return { added: [], shown: (_messages, all) => [...all] };
  const hidden = tools.filter((tool) => !tool.internalOnly && !choice.always.includes(tool.name));
  const names = new Set(hidden.map((tool) => tool.name));
  const { tool, seed } = choice.mode === 'find' ? finding(choice, hidden) : { tool: openGroup(tools, choice), seed: () => [] };
  return {
    added: [tool],
    shown(messages, all) {
      const byName = new Map(all.map((one) => [one.name, one]));
      const loaded = loadedTools(messages, names, choice.visible, seed);
      const stable = all.filter(({ name }) => !names.has(name));
      return [...stable, ...loaded.flatMap((name) => byName.get(name) ?? [])];
    },
  };
}

function finding(choice: Extract<Choice, { mode: 'find' }>, hidden: readonly Tool[]): { tool: Tool; seed: Seed } {
  const entries = hidden.map(entryOf);
  const byName = new Map(entries.map((entry) => [entry.name, entry]));
  const { ranker } = choice;
  const names = ranker === null ? bm25(hidden) : (query: string) => ranker(query, entries);
  const rank = (query: string) => names(query).flatMap((name) => byName.get(name) ?? []);
  return {
    tool: findTools(entries, rank, choice.visible),
    seed: (text) =>
      rank(text)
        .slice(0, choice.visible)
        .map(({ name }) => name),
  };
}

/** Said at start of an agent that shows too many tools at once; null: it does not. */
export function crowded(choice: Choice, tools: readonly Tool[]): string | null {
  const count = tools.filter((tool) => !tool.internalOnly).length;
  if (choice.mode !== 'all' || count <= (choice.visible ?? MANY_TOOLS)) return null;
  return `It shows ${count} tools in every request; beyond ${MANY_TOOLS} models choose badly, and pay for each. Set the agent's catalogue to { mode: 'find' } (${FIND_TOOLS}) or { mode: 'groups' } (${OPEN_GROUP}): docs/tools-at-scale.md.`;
}
