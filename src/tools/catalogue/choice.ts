/**
 * How an agent with many tools chooses among them: it sees all; or a few, and finds more; or the groups,
 * and opens one. Checked when the agent is defined.
 */
import { unknownFields } from '../../shared/unknown-fields';
import { isFrom } from './tool-source';
import { type Ranker, UNGROUPED } from './ranker';
import type { Tool } from '../define/tool';

export type CatalogueDefinition =
  | 'all'
  | {
      mode: 'all';
      /** Tools that it is meant to see at once: the worker warns of more. Default 20. */
      visible?: number;
    }
  | {
      /** The model sees `find_tools`, and what it found. */
      mode: 'find';
      /** Found tools that it sees at once. Default 8. */
      visible?: number;
      /** Names of tools that it always sees. */
      always?: string[];
      /** Pure: the same answer on every worker. Default: BM25 over names, descriptions, groups and fields. */
      ranker?: Ranker | null;
    }
  | {
      /** The model sees `open_group`, and the tools of the groups that it opened. */
      mode: 'groups';
      /** Tools of opened groups that it sees at once; no group may be larger. Default 20. */
      visible?: number;
      always?: string[];
      /** Group → one line about it. */
      about?: Record<string, string>;
    };

export type Choice =
  | { mode: 'all'; visible?: number }
  | { mode: 'find'; visible: number; always: string[]; ranker: Ranker | null }
  | { mode: 'groups'; visible: number; always: string[]; about: Record<string, string> };

/** More tools than this at once, and a model begins to choose badly (seeds/000). */
export const MANY_TOOLS = 20;
const MOST_VISIBLE = 64;
const FIELDS = {
  all: ['mode', 'visible'],
  find: ['mode', 'visible', 'always', 'ranker'],
  groups: ['mode', 'visible', 'always', 'about'],
} as const;

export function choiceOf(definition: CatalogueDefinition = 'all'): Choice {
  if (typeof definition !== 'object' || definition === null) return { mode: 'all' };
  if (definition.mode === 'all')
    return { mode: 'all', ...(definition.visible === undefined ? {} : { visible: definition.visible }) };
  const { always = [] } = definition;
  return definition.mode === 'find'
    ? { mode: 'find', visible: definition.visible ?? 8, always, ranker: definition.ranker ?? null }
    : { mode: 'groups', visible: definition.visible ?? MANY_TOOLS, always, about: definition.about ?? {} };
}

/** What is wrong with the field, in words that say what to change. */
export function choiceFaults(
  definition: CatalogueDefinition | undefined,
  tools: readonly Tool[],
  servers: readonly string[] = [],
): string[] {
  if (definition === undefined || definition === 'all') return [];
  const mode: unknown = (definition as { mode?: unknown } | null)?.mode;
  if (mode !== 'all' && mode !== 'find' && mode !== 'groups') {
    return [`catalogue is ${JSON.stringify(definition)}; it must be 'all', { mode: 'find' } or { mode: 'groups' }`];
  }
  const faults = unknownFields(definition, FIELDS[mode], 'catalogue');
  const choice = choiceOf(definition);
  const { visible = MANY_TOOLS } = choice;
  if (!Number.isInteger(visible) || visible < 1 || visible > MOST_VISIBLE) {
    faults.push(`catalogue.visible is ${visible}; it must be an integer from 1 to ${MOST_VISIBLE}`);
  }
  if (choice.mode === 'all') return faults;
  const names = new Set(tools.map((tool) => tool?.name));
  for (const name of choice.always) {
    if (!names.has(name) && !isFrom(servers, name))
      faults.push(`catalogue.always names ${JSON.stringify(name)}, which is none of the agent's tools`);
  }
  if (choice.mode === 'groups') faults.push(...groupFaults(choice, tools, servers));
  return faults;
}

function groupFaults(choice: Extract<Choice, { mode: 'groups' }>, tools: readonly Tool[], servers: readonly string[]): string[] {
  const groups = groupsOf(tools.filter((tool) => !choice.always.includes(tool.name)));
  const large = [...groups].filter(([, members]) => members.length > choice.visible);
  const unknown = Object.keys(choice.about).filter((name) => !groups.has(name) && !servers.includes(name));
  return [
    ...large.map(
      ([name, members]) =>
        `group ${JSON.stringify(name)} has ${members.length} tools, more than the ${choice.visible} that are visible at once: split it, or raise catalogue.visible`,
    ),
    ...unknown.map((name) => `catalogue.about names ${JSON.stringify(name)}, which is no group of the agent's tools`),
  ];
}

/** Group → its tools, both in the order of the tools. */
export function groupsOf(tools: readonly Tool[]): Map<string, Tool[]> {
  const groups = new Map<string, Tool[]>();
  for (const tool of tools) {
    if (tool.internalOnly) continue;
    const name = tool.group ?? UNGROUPED;
    groups.set(name, [...(groups.get(name) ?? []), tool]);
  }
  return groups;
}
