/** The two tools with which a model finds others. What they answer is data: only names of the agent's tools count in it. */
import { z } from 'zod';
import { cutBytes } from '../../shared/cut';
import { visible } from '../../shared/visible';
import { defineBuiltIn } from '../define';
import { groupsOf, type Choice } from './choice';
import { entryOf, type ToolEntry, UNGROUPED } from './ranker';
import type { Tool } from '../tool';

export const FIND_TOOLS = 'find_tools';
export const OPEN_GROUP = 'open_group';

const entry = z.object({ name: z.string(), about: z.string(), group: z.string(), class: z.string() });
const found = z.object({
  tools: z.array(entry),
  searched: z.number().int(),
  note: z.string(),
});
const LOADED = 'From your next answer on you can call them.';

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
      returns: `tools: up to ${most}, best first, each with name, one line about it, group and class. ${LOADED}`,
      useWhen: 'No tool that you see fits the task, or you need another one for the next part of it.',
      dontUseFor: 'Facts, files or web pages: it knows nothing but tools.',
      example: '{"query": "convert an amount between currencies"}',
      warning: `You see ${visibleAtOnce} found tools at once; those that you have not used for longest make room.`,
    },
    input: z.object({
      query: z.string().min(2).max(200).describe('What the tool should do: a verb and its object, in English'),
      limit: z.number().int().min(1).max(most).default(most).describe('Tools to load at most'),
    }),
    output: found,
    maxInlineBytes: 'unlimited', // bounded by limit and by the length of a line
    run({ query, limit }) {
      const tools = rank(query).slice(0, limit);
      const note =
        tools.length > 0 ? LOADED : `Nothing fits these words. Try others; the groups are: ${cutBytes(groups.join(', '), 1000)}.`;
      return { tools: tools.map((tool) => ({ ...tool })), searched: entries.length, note };
    },
  });
}

/** `{group}` → `{tools [{name, about, group, class}], searched, note}`, in the agent's order. */
export function openGroup(tools: readonly Tool[], choice: Extract<Choice, { mode: 'groups' }>): Tool {
  const groups = groupsOf(tools.filter((tool) => !choice.always.includes(tool.name)));
  const names = [...groups.keys()];
  const lines = names.map((name) => `- ${groupLine(name, groups.get(name)!, choice.about)}`);
  return defineBuiltIn({
    name: OPEN_GROUP,
    version: '1.0.0',
    class: 'compute',
    description: {
      does: `Opens a group of tools. You have tools in ${names.length} groups, and see those of a group once you have opened it:\n${lines.join('\n')}`,
      returns: `tools: those of the group, each with name, one line about it, group and class. ${LOADED}`,
      useWhen: 'The task belongs to a group whose tools you do not see yet.',
      dontUseFor: 'A group whose tools you see already.',
      example: JSON.stringify({ group: names[0] ?? UNGROUPED }),
      warning: `You see ${choice.visible} tools of groups at once; those that you have not used for longest make room.`,
    },
    input: z.object({ group: z.enum(names.length > 0 ? names : [UNGROUPED]).describe('Name of the group') }),
    output: found,
    maxInlineBytes: 'unlimited',
    run({ group }) {
      const members = groups.get(group) ?? [];
      return { tools: members.map((tool) => ({ ...entryOf(tool) })), searched: tools.length, note: LOADED };
    },
  });
}

const GROUP_LINE = 200;

function groupLine(name: string, members: readonly Tool[], about: Record<string, string>): string {
  const said = Object.hasOwn(about, name) ? about[name]! : members.map((tool) => tool.name).join(', ');
  const line = visible(said).replace(/\s+/g, ' ').trim();
  const cut = line.length <= GROUP_LINE ? line : `${line.slice(0, GROUP_LINE - 1).toWellFormed()}…`;
  return `${visible(name)} (${members.length}): ${cut}`;
}
