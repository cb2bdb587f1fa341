/**
 * Defines `find_tools` and `open_group`, with which a model finds and loads other tools, and the agent's `catalogue` field that
 * chooses between them. Their results are data: only names of the agent's own tools in them have an effect.
 */
import { z } from 'zod';
import { cutBytes } from '../../shared/text/utf8';
import { visible } from '../../shared/text/visible';
import { callError, type CallError } from '../../shared/wire/errors';
import { isJsonObject, type JsonObject, unknownFields } from '../../shared/json/json';
import { defineBuiltIn } from '../define/define';
import type { Tool } from '../define/tool';
import { entryOf, type ToolEntry, DEFAULT_GROUP, nearestNames, type Ranker } from './ranker';
import { isFrom } from './tool-source';
import { optional } from '../../shared/json/optional';

export const FIND_TOOLS = 'find_tools';
export const OPEN_GROUP = 'open_group';

const entry = z.object({ name: z.string(), about: z.string(), group: z.string(), class: z.string() });
const searchOutput = z.object({
  tools: z.array(entry),
  searched: z.number().int(),
  note: z.string(),
});
const LOAD_NOTE = 'From your next answer on you can call them.';

/** `{query, limit}` → `{tools [{name, about, group, class}], searched, note}`, best first. */
export function findTools(entries: readonly ToolEntry[], rank: (query: string) => ToolEntry[], visibleAtOnce: number): Tool {
  const most = Math.min(8, visibleAtOnce);
  const groups = [...new Set(entries.map(({ group }) => group))];
  return defineBuiltIn({
    name: FIND_TOOLS,
    version: '1.0.0',
    class: 'compute',
    description: {
      does: `Finds tools by what they do. You see only a few of your ${entries.length} tools; this finds the others, and loads them.`,
      returns: `tools: up to ${most}, best first, each with name, one line about it, group and class. ${LOAD_NOTE}`,
      useWhen: 'No tool that you see fits the task, or you need another one for the next part of it.',
      dontUseFor: 'Facts, files or web pages: it knows nothing but tools.',
      example: '{"query": "convert an amount between currencies"}',
      warning: `You see ${visibleAtOnce} found tools at once; those that you have not used for longest make room.`,
    },
    input: z.object({
      query: z.string().min(2).max(200).describe('What the tool should do: a verb and its object, in English'),
      limit: z.number().int().min(1).max(most).default(most).describe('Tools to load at most'),
    }),
    output: searchOutput,
    maxInlineBytes: 'unlimited', // `limit` and the maximum length of a line bound the size
    run({ query, limit }) {
      const tools = rank(query).slice(0, limit);
      const note =
        tools.length > 0
          ? LOAD_NOTE
          : `Nothing fits these words. Try others; the groups are: ${cutBytes(groups.join(', '), 1000)}.`;
      return { tools: tools.map((tool) => ({ ...tool })), searched: entries.length, note };
    },
  });
}

/** `{group}` → `{tools [{name, about, group, class}], searched, note}`, in the agent's order. */
export function openGroup(tools: readonly Tool[], choice: Extract<CatalogueSettings, { mode: 'groups' }>): Tool {
  const groups = groupsOf(tools.filter((tool) => !choice.always.includes(tool.name)));
  const names = [...groups.keys()];
  const lines = names.map((name) => `- ${groupLine(name, groups.get(name)!, choice.about)}`);
  return defineBuiltIn({
    name: OPEN_GROUP,
    version: '1.0.0',
    class: 'compute',
    description: {
      does: `Opens a group of tools. You have tools in ${names.length} groups, and see those of a group once you have opened it:\n${lines.join('\n')}`,
      returns: `tools: those of the group, each with name, one line about it, group and class. ${LOAD_NOTE}`,
      useWhen: 'The task belongs to a group whose tools you do not see yet.',
      dontUseFor: 'A group whose tools you see already.',
      example: JSON.stringify({ group: names[0] ?? DEFAULT_GROUP }),
      warning: `You see ${choice.visible} tools of groups at once; those that you have not used for longest make room.`,
    },
    input: z.object({ group: z.enum(names.length > 0 ? names : [DEFAULT_GROUP]).describe('Name of the group') }),
    output: searchOutput,
    maxInlineBytes: 'unlimited',
    run({ group }) {
      const members = groups.get(group) ?? [];
      return { tools: members.map((tool) => ({ ...entryOf(tool) })), searched: tools.length, note: LOAD_NOTE };
    },
  });
}

const GROUP_LINE = 200;

function groupLine(name: string, members: readonly Tool[], about: Record<string, string>): string {
  const text = Object.hasOwn(about, name) ? about[name]! : members.map((tool) => tool.name).join(', ');
  const line = visible(text).replace(/\s+/g, ' ').trim();
  const cut = line.length <= GROUP_LINE ? line : `${line.slice(0, GROUP_LINE - 1).toWellFormed()}…`;
  return `${visible(name)} (${members.length}): ${cut}`;
}

// The error for a call of a tool that the model was not shown: it tells the model how to call it next time.

interface ToolWithSchema {
  tool: { internalOnly?: boolean };
  schema: JsonObject;
}

const LIST_LIMIT = 20;

/**
 * @param shownNames names of the tools that the request showed; absent: all
 * @returns null when the tool may be called
 */
export function toolNotShownError(
  tools: ReadonlyMap<string, ToolWithSchema>,
  name: string,
  shownNames?: ReadonlySet<string>,
): CallError | null {
  const tool = tools.get(name);
  if (!tool)
    return unknownTool(
      name,
      [...tools].filter(([, one]) => !one.tool.internalOnly).map(([key]) => key),
    );
  if (shownNames === undefined || shownNames.has(name)) return null;
  return callError('TOOL_NOT_FOUND', 'not_loaded', `${name} was not loaded when you called it; the call was not run.`, {
    hint: `It is loaded now. Its input: ${fields(tool.schema)}. Call it again, with an input that fits.`,
  });
}

function unknownTool(name: string, names: string[]): CallError {
  const cut = name.slice(0, 100).toWellFormed();
  const near = names.length <= LIST_LIMIT ? names : nearestNames(cut, names);
  const hint =
    near.length === 0
      ? 'No tool has a name like it. Use only tools that you were given.'
      : names.length <= LIST_LIMIT
        ? `Tools: ${near.join(', ')}.`
        : `Nearest names: ${near.join(', ')}.`;
  return callError('TOOL_NOT_FOUND', 'unknown_tool', `There is no tool ${JSON.stringify(cut)}.`, { hint });
}

/** A schema's fields as `city (string), unit (string, may be left out)`; at most twenty. */
function fields(schema: JsonObject): string {
  const properties = isJsonObject(schema.properties) ? Object.entries(schema.properties) : [];
  const required = new Set(Array.isArray(schema.required) ? schema.required : []);
  if (properties.length === 0) return 'no fields';
  const fieldTexts = properties.slice(0, LIST_LIMIT).map(([name, field]) => {
    const type = isJsonObject(field)
      ? Array.isArray(field.enum)
        ? field.enum.slice(0, 8).join('|')
        : String(field.type ?? 'any')
      : 'any';
    return `${name} (${type}${required.has(name) ? '' : ', may be left out'})`;
  });
  return `${fieldTexts.join(', ')}${properties.length > LIST_LIMIT ? ', …' : ''}`;
}

// The `catalogue` field of an agent: the model sees all tools; or a few, and searches for more; or groups, and opens one.
// The field is checked when the agent is defined.

export type CatalogueDefinition =
  | 'all'
  | {
      mode: 'all';
      /** Number of tools above which the worker logs a warning. Default 20. */
      visible?: number;
    }
  | {
      /** The model sees `find_tools`, and the tools that it found. */
      mode: 'find';
      /** Found tools that the model sees at once. Default 8. */
      visible?: number;
      /** Names of tools that the model always sees. */
      always?: string[];
      /** Must be pure: the same result on every worker. Default: BM25 over names, descriptions, groups and fields. */
      ranker?: Ranker | null;
    }
  | {
      /** The model sees `open_group`, and the tools of opened groups. */
      mode: 'groups';
      /** Tools of opened groups that the model sees at once; no group may be larger. Default 20. */
      visible?: number;
      always?: string[];
      /** Group → one line about it. */
      about?: Record<string, string>;
    };

export type CatalogueSettings =
  | { mode: 'all'; visible?: number }
  | { mode: 'find'; visible: number; always: string[]; ranker: Ranker | null }
  | { mode: 'groups'; visible: number; always: string[]; about: Record<string, string> };

/** With more tools than this at once, models begin to choose badly (seeds/000). */
export const MANY_TOOLS = 20;
const MOST_VISIBLE = 64;
const FIELDS = {
  all: ['mode', 'visible'],
  find: ['mode', 'visible', 'always', 'ranker'],
  groups: ['mode', 'visible', 'always', 'about'],
} as const;

export function catalogueSettings(definition: CatalogueDefinition = 'all'): CatalogueSettings {
  if (typeof definition !== 'object' || definition === null) return { mode: 'all' };
  if (definition.mode === 'all') return { mode: 'all', ...optional({ visible: definition.visible }) };
  const { always = [] } = definition;
  return definition.mode === 'find'
    ? { mode: 'find', visible: definition.visible ?? 8, always, ranker: definition.ranker ?? null }
    : { mode: 'groups', visible: definition.visible ?? MANY_TOOLS, always, about: definition.about ?? {} };
}

/** The faults of an agent's `catalogue` field, as messages that say what to change. */
export function catalogueFaults(
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
  const choice = catalogueSettings(definition);
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

function groupFaults(
  choice: Extract<CatalogueSettings, { mode: 'groups' }>,
  tools: readonly Tool[],
  servers: readonly string[],
): string[] {
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

/** Group → its tools, in the order of `tools`, without internal ones. */
export function groupsOf(tools: readonly Tool[]): Map<string, Tool[]> {
  const groups = new Map<string, Tool[]>();
  for (const tool of tools) {
    if (tool.internalOnly) continue;
    const name = tool.group ?? DEFAULT_GROUP;
    groups.set(name, [...(groups.get(name) ?? []), tool]);
  }
  return groups;
}
