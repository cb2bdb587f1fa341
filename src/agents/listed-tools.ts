/** Every tool and version of an app, with the agents that have it. */
import { compileRules, neverRuns, withDefaults } from '../rules';
import type { Tool } from '../tools/define';
import { isSunset } from '../tools/lifecycle';
import { ruledTool } from '../tools/permission/facts';
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

export interface Here {
  /** HOLDFAST_ENVIRONMENT of the workers. */
  environment?: string | undefined;
  now?: Date;
}

/**
 * Those that a call can reach: they exist in this environment, their sunset date has not come, and the rules of an agent that has them let some call
 * of them run. Agents whose rules let none are left out.
 */
export function callableTools(app: App, listed: readonly Listed[], { environment = '', now }: Here): Listed[] {
  const policies = new Map(app.agents.map(({ name, permissions }) => [name, compileRules(withDefaults(permissions))]));
  return listed.flatMap(({ tool, agents }) => {
    if (tool.environments && !tool.environments.includes(environment)) return [];
    if (isSunset(tool, now)) return [];
    const under = agents.filter((name) => !neverRuns(policies.get(name)!, ruledTool(tool)));
    return agents.length > 0 && under.length === 0 ? [] : [{ tool, agents: under }];
  });
}
