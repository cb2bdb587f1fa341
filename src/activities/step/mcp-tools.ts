/**
 * The tools of MCP servers for a turn. The start block records the tools that are offered when the turn begins. The turn then has
 * exactly these, on any worker, whatever the servers offer later.
 */
import type { TurnContext } from '../../shared/io/activities';
import type { OfferedTools } from '../../record/blocks';
import { walk } from '../../store/core/transcript';
import type { PreparedAgent } from '../../tools/catalogue/registry';
import { startOf } from '../checks/start';
import type { Dependencies } from '../ports';
import type { StoredBlock } from '../../store/core/seal';
import type { Tool } from '../../tools/define/tool';

type Needs = Pick<Dependencies, 'registry' | 'outside' | 'log' | 'store'>;

export interface PreparedStart {
  agent: PreparedAgent;
  /** For the start block; null: the agent has no servers. */
  outside: OfferedTools | null;
}

/** The agent for a turn that begins now. Undefined: this worker has no such agent. */
export async function beginningAgent(
  deps: Needs,
  turn: Pick<TurnContext, 'agent' | 'parent'>,
): Promise<PreparedStart | undefined> {
  const own = deps.registry.forTurn(turn);
  if (!own) return undefined;
  const { mcpServers } = own.agent;
  if (mcpServers.length === 0) return { agent: own, outside: null };
  const { tools: serverTools, missing } = await deps.outside.offered(mcpServers);
  const tools = different(serverTools, own, (tool) => {
    deps.log.warn({ agent: turn.agent, tool: tool.name }, 'two tools have one name: the second is left out');
  });
  const outside = { tools: tools.map((tool) => `${tool.name}@${tool.version}`), missing };
  return { agent: deps.registry.forTurn(turn, tools)!, outside };
}

/** The agent as it was when the turn began. Undefined: this worker has no such agent. */
export async function agentSince(deps: Needs, turn: TurnContext, head: string | null): Promise<PreparedAgent | undefined> {
  const own = deps.registry.forTurn(turn);
  if (!own || own.agent.mcpServers.length === 0) return own;
  const { mcpServers } = own.agent;
  const names = pinnedIn(await walk(deps.store, head), turn);
  const tools = await Promise.all(names.map(([name, version]) => deps.outside.pinned(mcpServers, name, version)));
  return deps.registry.forTurn(
    turn,
    tools.filter((tool) => tool !== undefined),
  );
}

/** The tool with which a call was admitted: of the app, or of an MCP server, whose version covers its whole definition. */
export async function admittedTool(
  deps: Needs,
  turn: TurnContext,
  { tool: name, version }: { tool: string; version: string },
  head?: string,
): Promise<Tool | undefined> {
  const own = deps.registry.agent(turn.agent);
  if (!own || own.agent.mcpServers.length === 0) return deps.registry.find(turn.agent, name, version);
  // A tool that finds tools must also know those of MCP servers.
  if (head !== undefined && own.choice.added.some((tool) => tool.name === name))
    return (await agentSince(deps, turn, head))?.versions.get(`${name}@${version}`);
  return deps.registry.find(turn.agent, name, version) ?? deps.outside.pinned(own.agent.mcpServers, name, version);
}

function different(tools: Tool[], own: PreparedAgent, twice: (tool: Tool) => void): Tool[] {
  const names = new Set([...own.tools.keys(), ...own.internal.keys()]);
  return tools.filter((tool) => {
    const isKnown = names.has(tool.name);
    if (isKnown) twice(tool);
    names.add(tool.name);
    return !isKnown;
  });
}

/** The MCP tools in the turn's own start block. */
function pinnedIn(blocks: StoredBlock[], turn: TurnContext): [name: string, version: string][] {
  const tools = startOf(blocks, turn)?.outside ?? [];
  return tools.flatMap((id): [string, string][] => {
    const [name, version] = id.split('@');
    return name && version ? [[name, version]] : [];
  });
}
