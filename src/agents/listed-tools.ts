/** Every tool and version of an app, with the agents that have it. */
import type { Tool } from '../tools/define';
import { readResult } from '../tools/read-result';
import type { App } from './define';

export interface Listed {
  tool: Tool;
  /** The agents that have it. */
  agents: string[];
}

/** By agent, then by tool. @param only of this agent, and what no agent has is left out */
export function listedTools(app: App, only?: string): Listed[] {
  const listed = new Map<string, Listed>();
  const add = (tool: Tool, agent: string | null) => {
    const key = `${tool.name}@${tool.version}`;
    const entry = listed.get(key) ?? { tool, agents: [] };
    if (agent !== null && !entry.agents.includes(agent)) entry.agents.push(agent);
    listed.set(key, entry);
  };
  for (const agent of app.agents) {
    if (only !== undefined && agent.name !== only) continue;
    for (const tool of [...agent.tools, readResult]) add(tool, agent.name);
  }
  if (only === undefined) for (const tool of app.tools) add(tool, null);
  return [...listed.values()];
}
