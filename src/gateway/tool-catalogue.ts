/** Lists the tools that can be called over HTTP, the agents and the triggers: those of the app that the workers serve. */
import { LRUCache } from 'lru-cache';
import type { App } from '../agents/define';
import type { McpDefinition } from '../agents/mcp';
import { callableTools, listedTools, type ToolWithAgents } from '../agents/listed-tools';
import { toolDefinition } from '../tools/convert';
import type { Agent } from '../agents/agent';
import { Registry, type PreparedAgent } from '../tools/catalogue/registry';
import type { TriggerDefinition } from '../triggers/definition';
import { isFrom } from '../tools/catalogue/tool-source';
import { Refusal } from './http/errors';

export type ToolEntry = ReturnType<typeof toolDefinition> & { agents: string[] };

export interface ToolCatalogue {
  /** Every tool and version, also those that the workers refuse: their refusal has its own reason. */
  all(): readonly ToolEntry[];
  /** The tools that this principal can call here and now: the same list object until they change. */
  callable(principal: string): readonly ToolEntry[];
  /** Whether the name is one of an agent's MCP servers: only the workers know whether such a tool exists. */
  mayBeOutside(name: string): boolean;
  /** What the app offers MCP clients besides tools. */
  readonly mcp: McpDefinition;
  /** The webhooks that the gateway takes. Absent: none. */
  readonly triggers?: readonly TriggerDefinition[];
  readonly agents: readonly Agent[];
  /** The agent with its rules compiled. Undefined: there is none of this name. */
  prepared(agent: string): PreparedAgent | undefined;
}

/** @param environment HOLDFAST_ENVIRONMENT of the workers */
export function catalogueOf(app: App, environment?: string): ToolCatalogue {
  const tools = listedTools(app);
  const entryOf = ({ tool, agents }: ToolWithAgents): ToolEntry => ({ ...toolDefinition(tool), agents });
  const entries = tools.map(entryOf);
  const lists = new LRUCache<string, readonly ToolEntry[]>({ max: 100 });
  const servers = app.agents.flatMap(({ mcpServers }) => mcpServers);
  let registry: Registry | undefined;
  return {
    agents: app.agents,
    triggers: app.triggers ?? [],
    prepared: (agent) => (registry ??= new Registry(app)).agent(agent),
    all: () => entries,
    callable: (requester) => {
      const matches = callableTools(app, tools, { environment, requester });
      const key = JSON.stringify(matches.map(({ tool, agents }) => [tool.name, tool.version, agents]));
      const list = lists.get(key) ?? matches.map(entryOf);
      lists.set(key, list);
      return list;
    },
    mayBeOutside: (name) => isFrom(servers, name),
    mcp: app.mcp ?? {},
  };
}

/**
 * The versions of a tool. Null if only the workers can tell: for an MCP server's tool, and without the app.
 * @throws Refusal 404 for a tool that cannot exist
 */
export async function knownVersions(
  { catalogue }: { catalogue?(): Promise<ToolCatalogue> },
  name: string,
): Promise<readonly ToolEntry[] | null> {
  const loadedCatalogue = await catalogue?.();
  const versions = loadedCatalogue?.all().filter((entry) => entry.name === name) ?? [];
  if (versions.length > 0) return versions;
  if (loadedCatalogue === undefined || loadedCatalogue.mayBeOutside(name)) return null;
  const message = `There is no tool ${JSON.stringify(name)}. GET /tools lists those that there are.`;
  throw new Refusal({ code: 'TOOL_NOT_FOUND', reason: 'unknown_tool', message });
}
