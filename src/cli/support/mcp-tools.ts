/** Lists the tools that agents have of MCP servers, as they are now, and why the tools of a server are not known. */
import { loadConfig } from '../../config';
import { readEntries, serverOf } from '../../mcp';
import { getOwn } from '../../shared/json/json';
import { oneLine } from './describe';
import { examineServer } from './examine-server';
import type { Agent } from '../../agents/agent';

export interface McpTool {
  name: string;
  class: string;
  server: string;
  /** Whether a person has accepted the class: `accepted`, `new` or `changed`. */
  state: string;
  agents: string[];
}

export interface McpToolList {
  tools: McpTool[];
  /** Server → why its tools are not known. */
  missing: Record<string, string>;
}

export async function listMcpTools(agents: readonly Agent[]): Promise<McpToolList> {
  const servers = [...new Set(agents.flatMap(({ mcpServers }) => mcpServers))].sort();
  const outside: McpToolList = { tools: [], missing: {} };
  if (servers.length === 0) return outside;
  const config = loadConfig();
  const entries = readEntries(config.mcp);
  const having = (server: string) => agents.filter(({ mcpServers }) => mcpServers.includes(server)).map(({ name }) => name);
  const requests = servers.map(async (server) => {
    const entry = getOwn(entries, server);
    if (entry === undefined) throw new Error(`${config.mcp} does not have it; \`holdfast mcp add ${server}\` adds it`);
    return examineServer(config, serverOf(server, entry));
  });
  for (const [index, answer] of (await Promise.allSettled(requests)).entries()) {
    const server = servers[index]!;
    if (answer.status === 'rejected') outside.missing[server] = oneLine((answer.reason as Error).message, 300);
    else
      outside.tools.push(
        ...answer.value.map(({ name, class: counts, state }) => ({ name, class: counts, server, state, agents: having(server) })),
      );
  }
  return outside;
}
