/** Whether a call runs by itself, asks a person, or is refused, and which rule decided. */
import type { AgentPermissions } from '../agents/define';
import { CLASS_RULES, type ToolClass } from '../shared/tool-class';

export interface Verdict {
  verdict: 'allow' | 'ask' | 'deny';
  reason: string;
}

/** Deny wins, then ask, then allow, then what the class says. */
export function permission(permissions: AgentPermissions, tool: { name: string; class: ToolClass }): Verdict {
  if (permissions.deny.includes(tool.name)) return { verdict: 'deny', reason: `the agent's rules deny ${tool.name}` };
  if (permissions.ask.includes(tool.name)) return { verdict: 'ask', reason: `the agent's rules ask for ${tool.name}` };
  if (permissions.allow.includes(tool.name)) return { verdict: 'allow', reason: `the agent's rules allow ${tool.name}` };
  return CLASS_RULES[tool.class].approval === 'always'
    ? { verdict: 'ask', reason: `class ${tool.class} always asks` }
    : { verdict: 'allow', reason: `class ${tool.class} does not ask` };
}
