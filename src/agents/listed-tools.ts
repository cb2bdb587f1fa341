/** Lists every tool and version of an app, with the agents that have it. */
import { compileRules, neverRuns, withDefaults, type Policy } from '../rules';
import { isSunset } from '../tools/define/versions';
import { ruledTool } from '../tools/admit/policy';
import { readResultTool } from '../tools/results/result-text';
import type { App } from './define';
import type { Tool } from '../tools/define/tool';

export interface ToolWithAgents {
  tool: Tool;
  agents: string[];
}

/** By agent, then by tool. @param only lists this agent's tools only, and no tools without an agent */
export function listedTools(app: App, only?: string): ToolWithAgents[] {
  const byKey = new Map<string, ToolWithAgents>();
  const add = (tool: Tool, agent: string | null) => {
    const key = `${tool.name}@${tool.version}`;
    const entry = byKey.get(key) ?? { tool, agents: [] };
    if (agent !== null && !entry.agents.includes(agent)) entry.agents.push(agent);
    byKey.set(key, entry);
  };
  for (const agent of app.agents) {
    if (only !== undefined && agent.name !== only) continue;
    for (const tool of [...agent.tools, readResultTool()]) add(tool, agent.name);
  }
  if (only === undefined) for (const tool of app.tools) add(tool, null);
  return [...byKey.values()];
}

export interface CallerContext {
  /** HOLDFAST_ENVIRONMENT of the workers. */
  environment?: string | undefined;
  now?: Date;
  /** Who would request the call: rules may depend on it. Absent: anybody. */
  requester?: string | undefined;
}

/**
 * The tools that a call can reach: they exist in this environment, their sunset date has not come, and the rules of an agent that
 * has them let some call of them run. Agents whose rules let none run are left out.
 */
export function callableTools(
  app: App,
  entries: readonly ToolWithAgents[],
  { environment = '', now, requester }: CallerContext,
): ToolWithAgents[] {
  const policies = policiesOf(app);
  const askerOf = (agent: string) => (requester === undefined ? undefined : { requester, agent });
  return entries.flatMap(({ tool, agents }) => {
    if (tool.environments && !tool.environments.includes(environment)) return [];
    if (isSunset(tool, now)) return [];
    const under = agents.filter((name) => !neverRuns(policies.get(name)!, ruledTool(tool), askerOf(name)));
    return agents.length > 0 && under.length === 0 ? [] : [{ tool, agents: under }];
  });
}

const policyCache = new WeakMap<App, Map<string, Policy>>();

/** Compiled rules, by agent. */
function policiesOf(app: App): Map<string, Policy> {
  const policies =
    policyCache.get(app) ?? new Map(app.agents.map(({ name, permissions }) => [name, compileRules(withDefaults(permissions))]));
  policyCache.set(app, policies);
  return policies;
}
